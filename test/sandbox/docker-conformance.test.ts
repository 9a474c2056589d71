import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { describeSandboxConformance } from './conformance.js';

describeSandboxConformance('docker', () => new DockerDriver(), { image: 'debian:bookworm-slim' });
