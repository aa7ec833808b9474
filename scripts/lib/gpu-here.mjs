// Whether NVIDIA's driver is at work here, and lets this container have it.
import { existsSync } from 'node:fs';

export const gpuHere = () => existsSync('/dev/nvidiactl');
