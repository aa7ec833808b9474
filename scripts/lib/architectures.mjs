// The architectures with kernels of their own, by Node's names: their GNU triplet, which Debian's cross tools carry in
// their names, and the Debian package with the cross compiler and its headers.
export const ARCHITECTURES = {
  x64: { triplet: 'x86_64-linux-gnu', compilerPackage: 'g++-x86-64-linux-gnu' },
  arm64: { triplet: 'aarch64-linux-gnu', compilerPackage: 'g++-aarch64-linux-gnu' },
};
