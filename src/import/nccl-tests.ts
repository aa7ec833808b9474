/**
 * What programs of nccl-tests (all_reduce_perf and its siblings) printed on a node, as its KPIs: the bus rate
 * for each size, out of place and in place. It is computed from the time, of which more digits are printed
 * than of the rate, with the factor that nccl-tests and our collectives have in common, and held against the
 * rate. A time is the mean over the iterations and over the ranks, and not a median of the slowest as ours,
 * so these KPIs have names of their own.
 */
import { basename, dirname } from 'node:path';
import { messageOf } from '../errors.js';
import {
  type NodeCheck,
  type NodeKpi,
  type NodeLine,
  type NodeProblem,
  unknownNode,
} from '../fleet/node-line.js';
import { busFactor } from '../indicators/collective-cases.js';
import { plural } from '../quantities/format.js';
import type { Found } from './files.js';
import { OPERATIONS, programOf } from './nccl-tests/programs.js';
import { type Figures, failureOf, type Row, type Run, runOf, runTexts, versionOf } from './nccl-tests/run.js';
import { nodeOfFolder, type Placed, type Silent, wasMeant, whySilent } from './nccl-tests/silent.js';
import { type ImportedNodes, type Reading, readAll } from './nodes.js';
import { kpiOfOneValue } from './one-value.js';

const NAME = 'nccl-tests';

/** Runs of so many ranks are a device of their own: what bounds them is another. */
const deviceOf = ({ ranks }: Run): string => `ranks:${ranks.length}`;

/** Half of the last digit that is printed, and what rounding the time does. */
const isNear = (rate: number, printed: string): boolean => {
  const digits = /\.(\d+)$/.exec(printed)?.[1]?.length ?? 0;
  return Math.abs(rate / 1e9 - Number(printed)) <= 0.51 * 10 ** -digits + 0.002 * Number(printed);
};

interface Measured {
  readonly row: Row;
  readonly figures: Figures;
  readonly name: string;
  /** B/s. */
  readonly rate: number;
}

/** @returns what a run measured, or why nothing can be taken from it */
function measuredIn(run: Run, name: string, factor: number | null): readonly Measured[] | string {
  if (run.broken !== null) return run.broken;
  if (factor === null) return 'one rank alone uses no bus';
  const all = run.rows.flatMap((row) =>
    row.figures.map((figures) => ({
      row,
      figures,
      name: [name, ...row.of, row.size, figures.place].join('/'),
      rate: (row.size / figures.seconds) * factor,
    })),
  );
  const odd = all.find(({ rate, figures }) => !isNear(rate, figures.busRate));
  return odd === undefined
    ? all
    : `${odd.name}: a bus rate of ${odd.figures.busRate} GB/s does not follow from its time`;
}

function problemsOf(run: Run, what: string, wrong: readonly Measured[]): readonly NodeProblem[] {
  const [first] = wrong;
  const { outOfBounds, failure } = run;
  const problems: NodeProblem[] = [];
  if (first !== undefined) {
    const many = `${plural(wrong.length, 'result')} with wrong elements`;
    const why = `nccl-tests counted ${many}, such as ${first.figures.wrong} of ${first.name}`;
    problems.push({ kind: 'wrong', what, why });
  } else if (outOfBounds !== null && outOfBounds > 0) {
    problems.push({ kind: 'wrong', what, why: `nccl-tests counted ${outOfBounds} values out of bounds` });
  }
  if (outOfBounds === null) {
    problems.push({
      kind: 'lost',
      what,
      why: failure?.why ?? 'its output ends before its average, so it did not come to its end',
    });
  }
  return problems;
}

const check = (name: string, verdict: NodeCheck['verdict'], reason: string | null): NodeCheck => ({
  name: `${NAME}/${name}`,
  verdict,
  cause: null,
  reason,
  seconds: null,
});

/** Of a size of 0 there is nothing to rate. */
const kpisOf = (on: string, measured: readonly Measured[]): readonly NodeKpi[] =>
  measured.flatMap(({ name, rate }) =>
    rate > 0
      ? [kpiOfOneValue({ key: `${NAME}/${name}`, on, unit: 'B/s', better: 'higher', median: rate })]
      : [],
  );

interface Judged extends Pick<NodeLine, 'problems' | 'checks' | 'kpis'> {
  /** Results that nobody looked at, beside some that were. */
  readonly unlooked: readonly Measured[];
}

function averageCheck({ average }: Run, program: string): readonly NodeCheck[] {
  if (average === null) return [];
  const isBelow = average === 'FAILED';
  const reason = isBelow ? 'its average bus rate is below what was asked for' : null;
  return [check(`${program} average`, isBelow ? 'fail' : 'pass', reason)];
}

function judge(run: Run, program: string, measured: readonly Measured[]): Judged {
  const looked = measured.filter(({ figures }) => figures.wrong !== null);
  const wrong = looked.filter(({ figures }) => figures.wrong !== 0);
  const problems = problemsOf(run, program, wrong);
  const isWrong = problems.some(({ kind }) => kind === 'wrong');
  const isOpen = looked.length === 0;
  // Beside results that were looked at, those that were not are of what the operation does not support, as
  // alltoall in place.
  const right = isOpen ? measured : looked.filter(({ figures }) => figures.wrong === 0);
  const unlooked = run.untold
    ? 'its output ends before it says whether its results are right'
    : 'nccl-tests did not look at its results (-c 0)';
  const results = isOpen
    ? check(`${program} results`, 'inconclusive', unlooked)
    : check(`${program} results`, 'pass', null);
  return {
    problems,
    checks: [...(isWrong ? [] : [results]), ...averageCheck(run, program)],
    // Out of bounds and of no row, any of them may be wrong.
    kpis: run.untold || (isWrong && wrong.length === 0) ? [] : kpisOf(deviceOf(run), right),
    unlooked: isOpen ? [] : measured.filter(({ figures }) => figures.wrong === null),
  };
}

/** @throws Error where it lies in none */
function folderOf(path: string): string {
  const folder = dirname(path);
  if (folder !== '.') return folder.replaceAll('/', '-');
  throw new Error('it ran on “localhost”, which names no node: put it into a folder called after its node');
}

const nodeNamed = (host: string, path: string): string => (host === 'localhost' ? folderOf(path) : host);

/** @throws Error that says why it is of no node, or of no operation */
function whatRan(run: Run, path: string) {
  const hosts = [...new Set(run.ranks.map(({ host }) => host))];
  // What fails before the ranks are listed, as without a GPU, says where all the same.
  const told = hosts[0] ?? run.failure?.host;
  if (told === undefined) throw new Error('it does not list its ranks, so nobody knows where it ran');
  const host = nodeNamed(told, path);
  if (hosts.length > 1) throw new Error(`it ran over ${hosts.join(', ')}, so it is of none of these nodes`);
  const program = programOf(run.program ?? basename(path));
  const operation = OPERATIONS[program ?? ''];
  if (program === undefined || operation === undefined) {
    throw new Error(
      run.program === null
        ? 'it does not say what it measured: name the file after its program, as all_reduce_perf.txt'
        : `of ${run.program} no bus rate is known`,
    );
  }
  if (run.ranks.length === 1 && run.failure === null)
    throw new Error('one rank alone uses no bus, so there is no bus rate: measure with two GPUs or more');
  if (run.ofCpu) throw new Error('its times are those of the CPU (-C), not of the collective');
  return { host, program, operation };
}

const nodeOn = (host: string, version: string | null): NodeLine => ({
  ...unknownNode(host, NAME, version),
  hostname: host,
  hardware: { imported: NAME },
});

function headOf(run: Run, host: string, version: string | null): NodeLine {
  const head = nodeOn(host, version);
  if (run.ranks.length === 0) return head;
  const gpus = [...new Set(run.ranks.map(({ gpu }) => gpu))].join(', ');
  return {
    ...head,
    devices: {
      [deviceOf(run)]: {
        kind: 'gpu',
        name: `${run.ranks.length} x ${gpus}`,
        cpus: null,
        pciDevice: null,
        pciSubsystem: null,
        powerLimitWatts: null,
      },
    },
  };
}

/** Of a program that ended before it said anything of its run; null: the text tells of no such error. */
function failedNode(text: string, path: string): NodeLine | null {
  const failure = failureOf(text);
  if (failure === null) return null;
  const { host, why } = failure;
  return { ...nodeOn(nodeNamed(host, path), null), problems: [{ kind: 'lost', what: NAME, why }] };
}

/** Runs of one node are one line. */
function together(nodes: readonly NodeLine[]): readonly NodeLine[] {
  const all = new Map<string, NodeLine>();
  for (const one of nodes) {
    const { node, devices, problems, checks, kpis } = all.get(one.node) ?? {
      ...one,
      problems: [],
      checks: [],
      kpis: [],
    };
    all.set(node, {
      ...one,
      devices: { ...devices, ...one.devices },
      problems: [...problems, ...one.problems],
      checks: [...checks, ...one.checks],
      kpis: [...kpis, ...one.kpis],
    });
  }
  return [...all.values()];
}

/** @returns whether the text tells of such an error */
function readFailure(text: string, path: string, { nodes, unread }: Reading): boolean {
  try {
    const node = failedNode(text, path);
    if (node === null) unread.push({ path, why: 'no output of nccl-tests', damaged: false });
    else nodes.push(node);
    return node !== null;
  } catch (error) {
    unread.push({ path, why: messageOf(error), damaged: true });
    return true;
  }
}

/** @returns whether it is an output of some run, or of an error before it */
function readOutput(text: string, path: string, into: Reading): boolean {
  const texts = runTexts(text);
  if (texts.length === 0) return readFailure(text, path, into);
  for (const run of texts.map(runOf)) {
    try {
      const { host, program, operation } = whatRan(run, path);
      const head = headOf(run, host, versionOf(text));
      const measured = measuredIn(run, program, busFactor(operation, run.ranks.length));
      if (typeof measured === 'string') {
        into.nodes.push({ ...head, problems: [{ kind: 'lost', what: program, why: measured }] });
        continue;
      }
      const { unlooked, ...judged } = judge(run, program, measured);
      into.nodes.push({ ...head, ...judged });
      const [first] = unlooked;
      if (first !== undefined) {
        const many = plural(unlooked.length, 'result');
        const why = `${many} of ${program} that nccl-tests did not look at, such as ${first.name}`;
        into.unread.push({ path, why, damaged: false });
      }
    } catch (error) {
      into.unread.push({ path, why: messageOf(error), damaged: true });
    }
  }
  return true;
}

/** Whose program said nothing at all, as far as its place tells: beside the others such a node must not be missing. */
function silentNode(silent: Silent, placed: readonly Placed[]): readonly NodeLine[] {
  const host = nodeOfFolder(silent, placed);
  if (host === null) return [];
  const what = programOf(basename(silent.path)) ?? NAME;
  return [{ ...nodeOn(host, null), problems: [{ kind: 'lost', what, why: whySilent(silent) }] }];
}

/** Files of what its programs printed, one run after the other or a file each. */
export function readNcclTests(found: Found): ImportedNodes {
  const placed: Placed[] = [];
  const others: Silent[] = [];
  const { nodes, unread } = readAll(found, 'output of nccl-tests', ({ path }, text, into) => {
    const before = into.nodes.length;
    if (!readOutput(text, path, into)) others.push({ path, text });
    placed.push(...into.nodes.slice(before).map(({ node }) => ({ path, node })));
  });
  const silent = others.filter((one) => wasMeant(one, placed));
  return {
    nodes: together([...silent.flatMap((one) => silentNode(one, placed)), ...nodes]),
    unread: unread.map((one) => {
      const said = silent.find(({ path }) => path === one.path);
      return said === undefined ? one : { ...one, why: whySilent(said), damaged: true };
    }),
  };
}
