export type StyleName = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Colours text; `styleText` of node:util fits. Injected, so that reports are plain where colour is not wanted. */
export type Style = (name: StyleName, text: string) => string;

export const plainStyle: Style = (_name, text) => text;
