import { describe, expect, it } from 'vitest';
import { stateFolder } from '../../src/config/state-folder.js';

describe('the state folder', () => {
  it.each([
    ['the flag', '/flag', { LONGRUN_HOME: '/home-variable' }, '/flag'],
    ['LONGRUN_HOME', null, { LONGRUN_HOME: '/lr', XDG_STATE_HOME: '/xdg' }, '/lr'],
    ['the XDG state folder', null, { XDG_STATE_HOME: '/xdg' }, '/xdg/longrun'],
    ['~/.local/state', null, { HOME: '/home/me' }, '/home/me/.local/state/longrun'],
  ])('comes from %s', (_, flag, env, folder) => {
    expect(stateFolder(flag, env)).toBe(folder);
  });
});
