import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { piBench, piBenchEach, piBenchIn, type Run, withFolder } from '../support/pi-bench.js';

const cases: readonly (readonly [args: string, says: RegExp])[] = [
  ['--size 0', /--size takes a whole number of at least 1/],
  ['--size -1', /--size takes a whole number/],
  ['--size 1.5', /--size takes a whole number/],
  ['--size abc', /--size takes a whole number.*got "abc"/],
  ['--size=', /--size takes a whole number/],
  ['--size 1M', /needs .*TiB of memory and .*iB is free/],
  ['--dtype float12', /--dtype float12 is unknown; there is float32, float64, bfloat16, int8/],
  ['--dtype float16', /--dtype float16 is for GPUs; on the CPU there is float32, float64, bfloat16, int8/],
  ['--device cpu:0 --no-pin', /--no-pin: threads are kept on cpu:0 by pinning them/],
  ['--stack nothing', /--stack nothing is unknown; there is embedded/],
  ['--stack embedded:nothing', /--stack embedded:nothing is unknown; here there is/],
  [
    '--stack embedded:avx512_vnni --dtype float32',
    /--stack embedded:avx512_vnni (has no kernel for float32; float32 has|does not run on this CPU)/,
  ],
  ['--size 64mb', /--size takes a whole number .*, or memory with its unit, such as 64MiB; got "64mb"/],
  ['--stack embedded:avx22', /--stack embedded:avx22 is unknown; here there is .*; did you mean avx2\?$/m],
  [
    '--stack embedded,Embedded',
    /--stack embedded,Embedded names one stack twice: leave one out; to compare a stack/,
  ],
  ['--stack opneblas', /--stack opneblas is unknown; there is .*; did you mean openblas\?$/m],
  ['--dtype fp32', /--dtype fp32 is unknown; there is .*; did you mean float32\?$/m],
  [
    '--stack embedded,embedded',
    /--stack has embedded more than once: leave one out; to compare a stack with itself, give a campaign file/,
  ],
  ['--reps', /--reps needs a value/],
  ['--budget --size 64', /--budget needs a value/],
  ['--warmup', /--warmup needs a value/],
  ['--duration -1s', /--duration takes a time such as .*; got "-1s"/],
  ['--quiet -1s', /--quiet takes no value; got "-1s"/],
  ['--reps 0', /--reps takes a whole number/],
  ['--reps 1e12', /--reps takes at most/],
  ['--inspections 0', /--inspections takes a whole number/],
  [
    '--precision 20% --inspections 7',
    /--precision takes at least 8 launches to be told, and --inspections allows 7: /,
  ],
  ['--threads 0', /--threads takes a whole number/],
  ['--threads 3000 --pin', /--pin needs a CPU for each of 3000 threads/],
  ['--timeout 0', /--timeout takes a time such as/],
  ['--labels site=a,site=b', /--labels has site more than once/],
  ['--warmup soon', /--warmup takes auto, a number of calls or a time/],
  ['--seed x', /--seed takes a whole number/],
  ['--cache warm', /cache.*hot.*cold/],
  ['--transpose XY', /--transpose takes NN, NT, TN, TT; got "XY"$/m],
  ['--transpose nt', /transpose.*"nt"/],
  ['--batch 0', /--batch takes a whole number of at least 1/],
  ['--batch 1e9', /--batch takes at most/],
  ['--size 1000 --batch 1Mi', /needs .*TiB of memory and .*iB is free/],
  ['--prepack --cache cold', /a prepacked B .* --cache cold cannot evict it: leave one of the two out/],
  ['--prepack=3', /--prepack takes no value; got "3"/],
  ['--prepack=', /--prepack takes no value; got ""/],
  ['--prepack yes', /[Uu]nknown argument.*yes/],
  ['--m 3', /--m, --n and --k belong together/],
  ['--size 3 --m 3 --n 3 --k 3', /give either --size or --m, --n and --k/],
  ['--dtype int8 --m 1 --n 1 --k 200000', /can overflow its int32 sums; k may be at most/],
  ['--sizes 3', /[Uu]nknown argument.*sizes/],
  ['--size 3 --size 4', /--size was given more than once/],
  ['extra', /[Uu]nknown argument.*extra/],
];

const memoryCases: readonly (readonly [args: string, says: RegExp])[] = [
  ['--bytes 32', /--bytes takes sizes with their unit, such as 32KiB,1MiB/],
  ['--bytes abc', /--bytes takes sizes with their unit.*got "abc"/],
  ['--bytes 2MiB..1MiB', /--bytes takes sizes with their unit/],
  ['--bytes 8B', /--bytes 8.00 B is too small/],
  ['--bytes 100TiB', /needs .*TiB of memory and .*iB is free/],
  ['--bytes', /--bytes needs a value/],
  ['--operation sort', /--operation sort is unknown; there is read, write, copy, scale, add, triad/],
  ['--stores both', /--stores both is unknown; there is cached, streaming, auto/],
  ['--threads 0', /--threads takes a whole number/],
  ['--threads 3000 --pin', /--pin needs a CPU for each of 3000 threads/],
  ['--stack embedded:nothing', /--stack embedded:nothing is unknown; here there is/],
  ['--size 512', /[Uu]nknown argument.*size/],
];

const latencyCases: readonly (readonly [args: string, says: RegExp])[] = [
  ['--bytes 32', /--bytes takes sizes with their unit, such as 32KiB,1MiB/],
  ['--bytes 2MiB..1MiB', /--bytes takes sizes with their unit/],
  ['--bytes 512B', /--bytes 512 B is too small: latency takes .*iB or more, 16 lines/],
  ['--bytes 100TiB', /--bytes 100 TiB is too large: latency takes .*iB at most/],
  ['--bytes', /--bytes needs a value/],
  ['--order sorted', /--order sorted is unknown; there is random, pages/],
  ['--threads 2', /--threads 2: latency is that of one thread: leave --threads out/],
  ['--load x', /--load takes whole numbers of threads, such as 0,1,3; got "x"/],
  ['--load 4000', /--load 4000 takes 4,001 CPUs.*may be used here: ask for \d+ at most/],
  ['--load 1 --no-pin', /--no-pin: a loading thread could come to the CPU.*leave --no-pin or --load out/],
  ['--threads 0', /--threads takes a whole number/],
  ['--stack embedded:portable', /latency is the same for every instruction set: ask for --stack embedded/],
  ['--stack embedded:nothing', /--stack embedded:nothing is unknown; here there is/],
  ['--operation read', /[Uu]nknown argument.*operation/],
  ['--cache cold', /[Uu]nknown argument.*cache/],
];

const peakCases: readonly (readonly [args: string, says: RegExp])[] = [
  ['--dtype float12', /--dtype float12 is unknown; there is float32, float64, bfloat16, int8/],
  ['--dtype float32,tf32', /--dtype tf32 is for GPUs; on the CPU there is float32, float64, bfloat16, int8/],
  ['--dtype float32,', /--dtype {2}is unknown/],
  ['--size 3', /[Uu]nknown argument.*size/],
  ['--cache cold', /[Uu]nknown argument.*cache/],
  ['--threads 0', /--threads takes a whole number/],
  ['--threads 3000 --pin', /--pin needs a CPU for each of 3000 threads/],
  ['--stack embedded:nothing', /--stack embedded:nothing is unknown; here there is/],
];

describe('bad input', () => {
  const given = [
    ...peakCases.map((one) => ['peak', ...one] as const),
    ...memoryCases.map((one) => ['memory', ...one] as const),
    ...latencyCases.map((one) => ['latency', ...one] as const),
    ...cases.map((one) => ['matmul', ...one] as const),
  ];
  const line = (command: string, args: string): string => `${command} ${args}`;
  const folders = new Map<string, string>();
  let runs: ReadonlyMap<string, Run>;
  let folder = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pi-bench-bad-'));
    const lines = given.map(([command, args], i) => {
      const out = join(folder, String(i));
      mkdirSync(out);
      folders.set(line(command, args), out);
      return [command, '--out', out, ...args.split(' ')];
    });
    const ended = await piBenchEach(lines);
    runs = new Map(given.map(([command, args], i) => [line(command, args), ended[i] as Run]));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(given)('%s %s: one clear line, exit code 64, nothing measured', (command, args, says) => {
    const run = runs.get(line(command, args));
    expect(run?.stderr).toMatch(says);
    expect(run?.stderr.trim().split('\n')).toHaveLength(1);
    expect(run?.stdout).toBe('');
    expect(run?.code).toBe(64);
    expect(readdirSync(folders.get(line(command, args)) ?? '')).toEqual([]);
  });

  // The same by the launcher, whose exit code it is.
  it('is refused by the launcher as by the command', () =>
    withFolder(async (out) => {
      const run = await piBench('matmul', '--out', out, '--size', '0');
      expect(run.stderr).toMatch(/^pi-bench: --size takes a whole number of at least 1.*\n$/);
      expect(run.stdout).toBe('');
      expect(run.code).toBe(64);
      expect(readdirSync(out)).toEqual([]);
    }));

  it.each([
    [
      ['frob'],
      /there is no command frob; there is matmul, memory, latency, peak, .*\bstacks, doctor, .*\bresume/,
    ],
    [['matmull'], /there is no command matmull; there is .*; did you mean matmul\?$/m],
    [['matmul', '--sise', '64'], /: unknown argument --sise; .*; did you mean --size\?$/m],
    [['sweep', 'matmull'], /there is no indicator "matmull"; .*; did you mean matmul\?$/m],
    [
      ['sweep', 'matmull', '--size', '64..128'],
      /there is no indicator "matmull"; .*; did you mean matmul\?$/m,
    ],
    [['sweep', '--size', '64..128'], /: say what to sweep: matmul, memory, .*$/m],
    [['sweep', 'matmul', '--sise', '64'], /: unknown argument --sise; .*; did you mean --size\?$/m],
    [['collective', 'all-redcue'], /there is no collective all-redcue; .*; did you mean all-reduce\?$/m],
    [['completion', 'csh'], /completion takes one shell, bash, zsh, fish, or none for your own; got csh$/m],
    [[], /say what to do/],
    [['show'], /show needs <record> \(.*\), as in pi-bench show results\/\S+$/m],
    [['report'], /report needs <record> \(.*\), as in pi-bench report results\/\S+ --open$/m],
    [['resume'], /resume needs <dir> \(.*\), as in pi-bench resume results\/\S+$/m],
    [['import'], /import needs <format> \(.*\) and <path> \(.*\), as in pi-bench import thoth inspections$/m],
    [
      ['matmul', '--foo-bar', '3'],
      /: unknown argument --foo-bar; pi-bench matmul --help lists what there is$/m,
    ],
    [['qualify', '--tier', 't9'], /: --tier takes t0, t1, t2, t3; got "t9"$/m],
    [['report', 'x', '--format', 'foo'], /: --format takes .*svg.*; got "foo"$/m],
    [['show', 'nope'], /there is no nope: a campaign’s results lie in a folder of its own/],
    [['resume', '/nowhere'], /there is no \/nowhere: resume takes a campaign's results folder$/m],
    [['resume', '/'], /has no journal.ndjson: resume takes a campaign's results folder$/m],
    [
      ['sweep', 'overlap', '--operation', 'broadcast'],
      /--operation broadcast does not overlap; there is all-reduce/,
    ],
  ])('%j: one clear line, exit code 64', async (args, says) => {
    const run = await piBench(...args);
    expect(run.stderr).toMatch(says);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(run.code).toBe(64);
  });

  it('a journal without its first line: says to start again', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'journal.ndjson'), '{"event":"campa');
      const run = await piBench('resume', folder);
      expect(run.stderr).toMatch(/ends before its first line does/);
      expect(run.code).toBe(64);
    }));
});

describe('help', () => {
  const commands = ['matmul', 'memory', 'peak', 'machine', 'doctor', 'show', 'resume'];
  let helps: readonly Run[] = [];
  beforeAll(async () => {
    helps = await piBenchEach(commands.map((command) => [command, '--help']));
  });

  it.each(commands)('of %s has examples', (command) => {
    const run = helps[commands.indexOf(command)];
    expect(run?.code).toBe(0);
    expect(run?.stdout).toContain('Examples:');
    expect(run?.stdout).toContain(`pi-bench ${command}`);
  });

  it('completion prints a script for the shell', async () => {
    const run = await piBench('completion');
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('complete');
    expect(run.stdout).toContain('pi-bench');
  });

  it.each([
    ['bash', 'complete -o bashdefault'],
    ['zsh', '#compdef'],
    ['fish', 'complete -f -c pi-bench'],
  ])('completion %s prints the script of that shell, whichever asks', async (shell, says) => {
    const run = await piBenchIn(
      { env: { ...process.env, SHELL: '/bin/zsh', ZSH_NAME: 'zsh' } },
      'completion',
      shell,
    );
    expect(run.code).toBe(0);
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain(says);
  });

  it('is printed for help, -h and --help, and the version for version, -v and --version', async () => {
    const [plain, short, word] = await piBenchEach([
      ['matmul', '--help'],
      ['matmul', '-h'],
      ['help', 'matmul'],
    ]);
    expect(plain?.stdout).toContain('-h, --help');
    expect(short?.stdout).toBe(plain?.stdout);
    expect(word?.stdout).toBe(plain?.stdout);
    for (const version of ['version', '-v'])
      expect((await piBench(version)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('completion offers the commands', async () => {
    const run = await piBench('--get-yargs-completions', 'pi-bench', 'ma');
    expect(run.stdout).toContain('matmul');
    expect(run.stdout).toContain('machine');
  });

  it('--version is the version of the package', async () => {
    expect((await piBench('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('machine and doctor', () => {
  it('machine tells what it is, as text and as JSON', async () => {
    const text = await piBench('machine');
    expect(text.stdout).toContain('CPU');
    expect(text.stdout).toContain('caches');
    const { cpu, os } = JSON.parse((await piBench('machine', '--json')).stdout);
    expect(cpu.architecture).toBe(process.arch);
    expect(os.kernelRelease).not.toBeNull();
  });

  it('doctor tells what it found, what it misses and what would help', async () => {
    const run = await piBench('doctor');
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('addon');
    expect(run.stdout).toContain('embedded');
    expect(run.stdout).toContain('What would make measurements better here');
    // What is not there is no fault, and never reads as what works.
    expect(run.stdout).not.toMatch(/ (ok|no) {2}none: /);
    expect(run.stdout).toMatch(/^ +transport shm +ok {2}/m);
    for (const line of run.stdout.split('\n').filter((one) => / {2}none: /.test(one)))
      expect(line).toMatch(/^ {2}\S.* {2}– {3}none: /);
  });
});

describe('an output folder that cannot be written', () => {
  const TINY = ['matmul', '--size', '32', '--reps', '10', '--inspections', '1'];
  it('loses nothing: the campaign goes to another folder, which is named', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      const run = await piBench(...TINY, '--out', join(folder, 'file'));
      expect(run.code).toBe(0);
      const [, other] = /the campaign goes to (\S+)/.exec(run.stderr) ?? [];
      expect(other).toBeDefined();
      const shown = await piBench('show', other ?? '');
      expect(shown.code).toBe(0);
      expect(shown.stdout).toContain('verified');
    }));

  it('that does not exist yet is made', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'a'));
      const run = await piBench(...TINY, '--out', join(folder, 'a/b/c'));
      expect(run.code).toBe(0);
      expect(readdirSync(join(folder, 'a/b/c'))).toHaveLength(1);
    }));
});
