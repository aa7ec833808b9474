export interface MpiLibrary {
  readonly name: 'Open MPI' | 'MPICH';
  readonly launcher: string;
  readonly compiler: string;
  readonly soname: string;
  readonly crowd: readonly string[];
  readonly bind: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}
export const MPI_LIBRARIES: readonly MpiLibrary[];
export function programFile(name: string): string | undefined;
export function libraryFile(soname: string): string | undefined;
export function isInstalled(library: Pick<MpiLibrary, 'launcher' | 'soname'>): boolean;
