// npm run check:arm64, npm run check:x64-emulated [-- [--long] program ...]: runs check programs on an emulated CPU, which has
// instruction sets that this machine may lack. QEMU's user-mode emulation executes what it is told and knows no time: it
// says whether results are right, never how fast they come.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ARCHITECTURES } from './lib/architectures.mjs';
import {
  checkPrograms,
  HOST,
  printResult,
  programAsked,
  runPrograms,
  unhurried,
} from './lib/native-programs.mjs';

// QEMU writes of each program that a signal ends, as the children of `fault` are on purpose. The models of AMX and of a GPU
// say nothing of the CPU that runs them.
const NOT_EMULATED = ['fault', 'amx', 'cuda_gemm', 'cuda_passes'];
// What is emulated is slow: one depth of each m and n, and a quarter of the random products.
const SHAPES = 'shapes=70';
const PRODUCTS = 'gemm=0.25';
// What is asked of the programs that would take too long.
const LESS = { shapes: SHAPES, gemm: PRODUCTS, collective: 'collective=few' };
/** Of x86: what a machine may lack and QEMU has. */
const OF_X64 = 'portable-v3,avx2';
/** Where this machine has that too it has checked it by itself, and an emulator that repeats some of it is enough. */
const REPEATS = /^flags\b.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
/** Products of these instruction sets, passes over memory and, where they ran nowhere else, reductions. */
const PROGRAMS_OF_X64 = [
  ...(REPEATS ? ['shapes=700', 'gemm=0.1'] : [SHAPES, PRODUCTS]).map((program) => `${program},${OF_X64}`),
  'memory',
  ...(REPEATS ? [] : [LESS.collective]),
];

/** The programs that are not among these. */
const othersThan = (programs) => {
  const names = programs.map((program) => programAsked(program).name);
  return checkPrograms().filter((name) => !names.includes(name));
};

/**
 * For each architecture: its emulator, which programs, what these leave out and why, and the instruction sets that QEMU 7.2,
 * Debian 12's, does not emulate. A program that skips any other is a failure.
 */
const TARGETS = {
  arm64: {
    // Beside vectors of 512 bits, as it would have them, NEON's loops would be no ceiling of anything.
    emulator: ['qemu-aarch64', '-cpu', 'max,sve=off,sme=off'],
    programs: checkPrograms()
      .filter((name) => !NOT_EMULATED.includes(name))
      .map((name) => LESS[name] ?? name),
    without: `all but ${SHAPES} and ${PRODUCTS}, which takes too long (npm run check:long has more); the models of AMX and GPUs, which any CPU runs alike, and which are not compiled for it either`,
    beyondEmulator: /^$/,
  },
  x64: {
    emulator: ['qemu-x86_64', '-cpu', 'max'],
    programs: PROGRAMS_OF_X64,
    without: [
      `of products all but ${PROGRAMS_OF_X64.slice(0, 2).join(' and ')}`,
      `${othersThan(PROGRAMS_OF_X64).join(', ')}, which the plain build has on this machine's own CPU${REPEATS ? ', AVX2 too' : ', with no AVX2'} (npm run check:native)`,
      'AVX-512 and AMX, which QEMU 7.2 lacks',
    ].join('; '),
    beyondEmulator: /^(avx512|amx)/,
  },
};

/** Static, so that the emulator needs none of the other architecture's libraries. */
const crossBuild = (arch) => ({
  ...HOST,
  asBuilt: false,
  compiler: `${ARCHITECTURES[arch].triplet}-g++`,
  arch,
  folder: arch,
  linkFlags: ['-static'],
});

function missingPackages(arch, { compiler, emulator: [emulator] }) {
  const lacks = (tool) => spawnSync(tool, ['--version']).status !== 0;
  return [
    ...(lacks(compiler) ? [arch === process.arch ? 'g++' : ARCHITECTURES[arch].compilerPackage] : []),
    ...(lacks(emulator) ? ['qemu-user'] : []),
  ];
}

/** The instruction sets that a program says it left out although the emulator has them. */
function leftOut({ informed }, beyondEmulator) {
  return informed
    .map((line) => /^(\S+) does not run here$/.exec(line)?.[1])
    .filter((isa) => isa !== undefined && !beyondEmulator.test(isa));
}

async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { long: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [arch, ...named] = positionals;
  const target = TARGETS[arch];
  if (target === undefined) throw new Error(`name one of: ${Object.keys(TARGETS).join(' ')}`);
  const emulated = {
    ...(arch === process.arch ? HOST : crossBuild(arch)),
    emulator: target.emulator,
  };
  const build = values.long ? unhurried(emulated) : emulated;
  const missing = missingPackages(arch, build);
  if (missing.length > 0) {
    throw new Error(
      `install the Debian packages ${missing.join(' ')} (apt-get install ${missing.join(' ')})`,
    );
  }
  const programs = (named.length > 0 ? named : target.programs).map(programAsked);
  if (named.length === 0) process.stdout.write(`left out: ${target.without}\n`);
  await runPrograms(build, programs, (result) => {
    const skipped = [...new Set(leftOut(result, target.beyondEmulator))];
    const right = printResult(result);
    if (skipped.length > 0) process.stdout.write(`  NOT CHECKED: ${skipped.join(' ')}\n`);
    if (!right || skipped.length > 0) process.exitCode = 1;
  });
}

await main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`emulated-checks: ${error.message}\n`);
  process.exitCode = 1;
});
