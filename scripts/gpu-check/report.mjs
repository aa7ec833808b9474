// The GPU check's findings as a table in Markdown, with the targets beside what was measured. Pure.
import { besideRivals, judged } from './rivals.mjs';

const percent = (share) => (share == null ? '-' : `${(share * 100).toFixed(1)} %`);
const tera = (rate) => (rate == null ? '-' : (rate / 1e12).toPrecision(4));
const giga = (rate) => (rate == null ? '-' : (rate / 1e9).toPrecision(4));
const micro = (seconds) => (seconds == null ? '-' : (seconds * 1e6).toPrecision(3));
const row = (...cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [
  row(...head),
  row(...head.map(() => '---')),
  ...rows.map((cells) => row(...cells)),
];

/** Nothing where nothing was measured. */
const section = (title, head, rows) => (rows.length === 0 ? [] : [title, '', ...table(head, rows), '']);

const KEYS = [
  'kernels',
  'correctness',
  'others',
  'timing',
  'firstSample',
  'products',
  'tests',
  'pytorch',
  'graphs',
];

/** Who is the fastest of those measured. */
const fastestOf = (names) =>
  names.length > 1 ? `the fastest of ${names.join(', ')}` : (names[0] ?? 'a library');

/** What no step of this check asks a GPU for. */
const LEFT_OUT = [
  'collectives over NCCL and what of them hides behind products',
  'several GPUs at once, and copies between them',
  'ONNX Runtime and TensorFlow on a GPU',
  'qualification of a node with GPUs',
];

/** What was measured of one indicator that is no product. */
const rowsOf = (name, others) => (others?.rows ?? []).filter(({ indicator }) => indicator === name);

export const wrongOf = (check) => ['built', ...KEYS].flatMap((key) => check[key]?.wrong ?? []);
export const notRunOf = (check) => [...KEYS.flatMap((key) => check[key]?.notRun ?? []), ...LEFT_OUT];

const COPY_TARGET = 0.97;

/** Copy within the device, of the largest arrays: our best pass beside the driver's own copy. */
function copyTarget(memory) {
  const large = Math.max(0, ...memory.map(({ parameters }) => Number(parameters.bytes)));
  const of = (name) =>
    memory.find(({ rate, parameters: p }) => p.operation === name && p.bytes === large && rate !== null);
  const [own, driver] = [of('copy'), of('device-copy')];
  const { share, met, doubt } = own && driver ? judged(own, driver, COPY_TARGET) : { share: null, met: null };
  return {
    what: 'device copy, of the best copy',
    target: `${COPY_TARGET}`,
    // Where ours is faster it is the best.
    value: percent(share === null ? null : Math.min(1, share)),
    met,
    doubt,
  };
}

/**
 * Of the steps that are there.
 * @param {{ products?: any, others?: any, timing?: any, firstSample?: any, [more: string]: any }} check
 */
export function targetsOf({ products, others, timing, firstSample, pytorch }) {
  const rows = products?.rows ?? [];
  const told = rows.find(({ stack, overhead: o }) => stack === 'embedded' && o);
  const overhead = told?.overhead ?? null;
  const share = (dtype, size, target) => {
    const { beside, best, share: reached, met, doubt } = besideRivals({ rows, pytorch }, dtype, size, target);
    return {
      what: `embedded ${dtype} at ${size}, of ${fastestOf(beside)}`,
      target: `${target}`,
      value: best === null ? '-' : `${percent(reached)} of ${best}`,
      met,
      doubt,
    };
  };
  const difference = timing?.ratio == null ? null : timing.ratio - 1;
  const first = firstSample?.seconds ?? null;
  const host = overhead === null ? null : overhead.waiting + overhead.enqueueing;
  return [
    share('bfloat16', 4096, 0.95),
    share('bfloat16', 8192, 0.95),
    ...['float32', 'float64', 'float8_e4m3', 'int8'].map((dtype) => share(dtype, 8192, 0.9)),
    copyTarget(rowsOf('memory', others)),
    {
      what: 'timing beside an independent program',
      target: 'within 0.5 %',
      value: difference === null ? '-' : `${(difference * 100).toFixed(2)} %`,
      met: difference === null ? null : Math.abs(difference) <= 0.005,
    },
    {
      what: `host, for each call${told ? ` of ${told.dtype} at ${told.size}` : ''}: enqueueing it + waiting beyond the device`,
      target: 'under 5 µs',
      value:
        overhead === null
          ? '-'
          : `${micro(overhead.enqueueing)} + ${micro(overhead.waiting)} = ${micro(host)} µs`,
      met: host === null ? null : host < 5e-6,
    },
    {
      what: 'from the command to the first sample',
      target: 'under 1.5 s',
      value: first === null ? '-' : `${first.toFixed(2)} s`,
      met: first === null ? null : first < 1.5,
    },
  ];
}

/** Nothing where they were not asked for, or are not counted. */
const testsText = (tests) => (tests?.right === undefined ? '' : `, ${tests.right} tests marked gpu`);

/** Of all our products: what the host does once for a group of calls is more for each where they are long and few. */
function overheadsText(rows) {
  const of = rows.flatMap(({ stack, overhead: o }) =>
    stack === 'embedded' && o ? [o.waiting + o.enqueueing] : [],
  );
  if (of.length < 2) return [];
  return [
    `Of all our products the host's part of a call is ${micro(Math.min(...of))} to ${micro(Math.max(...of))} µs: what it does once for a group of them is more for each where they are long and few. None of it is inside a timed window.`,
    '',
  ];
}

/** What the host does for a call, whose groups are launched call by call or as a graph. */
const graphsText = (rows) =>
  section(
    '## The host’s part of a call, µs, by how a group of calls is launched',
    ['type', 'size', 'call by call', 'as a graph', 'time of a call, as a graph'],
    rows.map(({ dtype, size, calls, graph }) => [
      dtype,
      size,
      ...[calls, graph].map(({ overhead: o }) => (o ? micro(o.waiting + o.enqueueing) : '-')),
      `${(graph.median / calls.median).toFixed(4)} of the other`,
    ]),
  );

const verdict = ({ met, doubt }) => {
  if (met !== null) return met ? 'met' : 'missed';
  return doubt ? `not judged: ${doubt}` : 'not measured';
};

const listed = (lines) => lines.map((what) => `- ${what.replaceAll('\n', ' ')}`);

/** What of the check is there: also of one that is not over. */
export function markdown(check) {
  const { gpu, commit, date, seconds, kernels, correctness, products, others, pytorch, wrong } = check;
  const torch = (dtype, size) => pytorch?.rates?.[`${dtype} ${size}`] ?? null;
  return [
    `# ${gpu.name}`,
    '',
    `Written by scripts/gpu-check.sh in ${Math.round(seconds)} s, ${date}, commit ${commit}, driver ${gpu.driver ?? 'not known'}, compute capability ${gpu.computeCapability}, power limit ${gpu.enforcedPowerLimitWatts ?? gpu.powerLimitWatts ?? 'not known'} W. Rates are medians over launches of launch medians; libraries' launches are interleaved with ours, PyTorch's are not. cuBLASLt takes the first algorithm that its heuristics name, cuBLAS chooses by itself.`,
    '',
    `Right results: ${kernels?.right ?? 0} kernels and workloads by themselves, ${correctness?.right ?? 0} products from the command to the record${testsText(check.tests)}. ${wrong.length === 0 ? 'Nothing that was checked was wrong.' : 'Wrong or missing:'}`,
    ...listed(wrong),
    '',
    ...(check.toCome.length > 0 ? ['**Not finished.** To come:', ...listed(check.toCome), ''] : []),
    'Not part of this check, or not run:',
    ...listed(check.notRun),
    '',
    '## Targets',
    '',
    ...table(
      ['what', 'target', 'measured', ''],
      check.targets.map((one) => [one.what, one.target, one.value, verdict(one)]),
    ),
    '',
    ...overheadsText(products?.rows ?? []),
    ...graphsText(check.graphs?.rows ?? []),
    ...section(
      '## Products, 10^12 operations per second',
      [
        'type',
        'size',
        'stack',
        'executed by',
        'rate',
        'of the measured peak',
        'of the datasheet',
        'PyTorch',
        'flags',
      ],
      (products?.rows ?? []).map((one) => [
        one.dtype,
        one.size,
        one.stack,
        one.implementation ?? '-',
        tera(one.rate),
        percent(one.ofPeak),
        percent(one.ofDatasheet),
        one.stack === 'embedded' ? tera(torch(one.dtype, one.size)) : '',
        one.flags.join(' ') || '-',
      ]),
    ),
    ...(pytorch?.rates
      ? [`PyTorch ${pytorch.version}: ${pytorch.how}. All others here give float32 for them.`, '']
      : []),
    ...section(
      '## Peak, 10^12 operations per second',
      ['type', 'by', 'rate', 'of the datasheet'],
      rowsOf('peak', others).map((one) => [
        one.parameters.dtype,
        one.implementation ?? '-',
        tera(one.rate),
        percent(one.ofDatasheet),
      ]),
    ),
    ...section(
      '## Memory, GB/s',
      ['', 'by', 'rate', 'of the datasheet'],
      rowsOf('memory', others).map((one) => [
        one.title,
        one.implementation ?? '-',
        giga(one.rate),
        percent(one.ofDatasheet),
      ]),
    ),
    ...section(
      '## Kernel launches',
      ['', 'µs each'],
      rowsOf('kernel-launch', others).map((one) => [
        one.title,
        one.elapsed === null ? '-' : micro(one.elapsed / one.parameters.launches),
      ]),
    ),
  ].join('\n');
}
