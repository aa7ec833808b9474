/** What a fleet's check, plan or pairs come to, for a person: the nodes that are named first, each with its cause and what to do. */

import { keyTitle } from '../../fleet/case-key.js';
import { CAUSES } from '../../fleet/causes.js';
import type { FleetCheck, NamedNode } from '../../fleet/check.js';
import { disagreementText } from '../../fleet/identity.js';
import type { NotJudged } from '../../fleet/not-judged.js';
import {
  type LinkLimits,
  type MeasuredPair,
  type Pair,
  type PairsVerdict,
  type Plan,
  type SuspectVerdict,
  slowestOf,
} from '../../fleet/pairs.js';
import type { FleetPlan } from '../../fleet/plan.js';
import { ruleText } from '../../fleet/rules.js';
import type { Finding } from '../../fleet/suspicion.js';
import { unseenText } from '../../fleet/unseen-rules.js';
import { versionsText } from '../../qualify/versions.js';
import { formatSeconds, formatShare, plural, significant, withPrefix } from '../../quantities/format.js';
import { printable, printableText } from '../printable.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

const MOST_KPIS = 3;
const MOST_NAMED = 50;
const MOST_NOT_JUDGED = 5;

/** What is worse at one KPI of one device, together. */
export interface FindingsOfKpi {
  readonly title: string;
  readonly text: string;
}

/** The furthest beyond its limit first, as they are. */
export function byKpi(findings: readonly Finding[]): readonly FindingsOfKpi[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.key} ${finding.on}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((group) => {
    const { title = '', on = '' } = group[0] ?? {};
    return {
      title: on === 'cpu' || on === '' ? title : `${title} on ${on}`,
      text: group.map(ruleText).join(', '),
    };
  });
}

const someNodes = (nodes: readonly string[]): string =>
  nodes.length === 1 ? (nodes[0] ?? '') : `${plural(nodes.length, 'node')}, such as ${nodes[0]}`;

/** Nodes of which the same is said, to the letter: forty that ran out of time are no forty paragraphs. */
export interface AlikeNodes {
  readonly names: readonly string[];
  readonly said: NamedNode;
}

export function alikeNodes(named: readonly NamedNode[]): readonly AlikeNodes[] {
  const groups = new Map<string, { names: string[]; said: NamedNode }>();
  for (const one of named) {
    const { node, machine: _, ...said } = one;
    const key = JSON.stringify(said);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { names: [node], said: one });
    else group.names.push(node);
  }
  return [...groups.values()];
}

/** `matmul 512 ... and 3 more: one node has it ...`: what is not judged for one reason, together. */
function notJudgedByReason(notJudged: readonly NotJudged[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { what, why } of notJudged) groups.set(why, [...(groups.get(why) ?? []), what]);
  return [...groups].map(([why, [first = '', ...more]]) =>
    more.length === 0 ? `${first}: ${why}` : `${first} and ${more.length} more: ${why}`,
  );
}

/** What nobody judged, of the fleet and of its nodes. */
export const notJudgedTexts = ({
  notJudged,
  unjudged,
}: Pick<FleetCheck, 'notJudged' | 'unjudged'>): readonly string[] => [
  ...(unjudged.length === 0 ? [] : [`${someNodes(unjudged)}: neither a KPI nor an own check was judged`]),
  ...notJudgedByReason(notJudged),
];

/** Checks that are open and that nobody requires. */
export const optionalTexts = ({ optional }: Pick<FleetCheck, 'optional'>): readonly string[] =>
  optional.map(({ check, nodes, why }) => `${check} on ${someNodes(nodes)}, not required: ${why}`);

/** What to do about power limits that differ. */
export const LIMITS_ADVICE =
  'they are judged together all the same; set one limit everywhere (nvidia-smi -pl), or check the nodes of each by themselves';

function nodeRows({ cause, reason, action, beside, findings, severity }: NamedNode, style: Style): Row[] {
  const groups = byKpi(findings);
  const more = groups.length - MOST_KPIS;
  return [
    ['cause', `${style.bold(cause)} (${severity}): ${reason}`],
    ...groups
      .slice(0, MOST_KPIS)
      .map(({ title, text }, i): Row => [i === 0 ? 'worse at' : '', `${title}: ${text}`]),
    ...(more > 0 ? [['', style.dim(`and at ${plural(more, 'KPI')} more`)] as Row] : []),
    ...(beside.length === 0
      ? []
      : [['also', beside.map((name) => `${name} (${CAUSES[name].words})`).join(', ')] as Row]),
    ['next', action],
  ];
}

const OUTCOMES = {
  pass: 'no node stands out',
  fail: 'not all nodes are alike',
  inconclusive: 'not everything could be judged',
} as const;

/** `not all nodes are alike: 2 nodes named, 1 node to be measured again` */
export function outcomeTexts({
  outcome,
  named,
}: Pick<FleetCheck, 'outcome' | 'named'>): readonly [outcome: string, counts: string] {
  const failed = named.filter(({ verdict }) => verdict === 'fail').length;
  const open = named.length - failed;
  const counts = [
    ...(failed === 0 ? [] : [`${plural(failed, 'node')} named`]),
    ...(open === 0 ? [] : [`${plural(open, 'node')} to be measured again`]),
  ];
  return [OUTCOMES[outcome], counts.length === 0 ? '' : `: ${counts.join(', ')}`];
}

function headOf(check: FleetCheck, style: Style): string {
  const { nodes, kpis, baseline, outcome, reference } = check;
  const paint = outcome === 'pass' ? style.good : outcome === 'fail' ? style.bad : style.warn;
  const against =
    baseline === null
      ? 'against each other'
      : `against ${baseline.name} (${plural(baseline.nodes, 'node')}${versionsText(baseline.otherVersions)})`;
  const [words, count] = outcomeTexts(check);
  const middle = reference === null ? '' : `; most typical: ${reference}`;
  return `${paint(style.bold(words))}${count}. ${plural(nodes, 'node')}, ${plural(kpis, 'KPI')}, ${against}${middle}`;
}

const shortList = (head: string, texts: readonly string[], style: Style): readonly Row[] => [
  ...texts.slice(0, MOST_NOT_JUDGED).map((text, i): Row => [i === 0 ? head : '', style.warn(text)]),
  ...(texts.length > MOST_NOT_JUDGED ? [['', `and ${texts.length - MOST_NOT_JUDGED} more`] as Row] : []),
];

export function renderFleetCheck(made: FleetCheck, style: Style): string {
  const check = printable(made);
  const { named, settings, powerLimits } = check;
  const [silent, optional] = [notJudgedTexts(check), optionalTexts(check)];
  const unseen = check.unseen.map(unseenText);
  const blocks = alikeNodes(named.slice(0, MOST_NAMED)).map(({ names, said: node }) => {
    const paint = node.verdict === 'fail' ? style.bad : style.warn;
    const devices = node.on.filter((on) => on !== 'cpu');
    const on = devices.length === 0 ? '' : ` (${devices.join(', ')})`;
    const head = wrap(`${paint(style.bold(names.join(', ')))}${on}`, style.width).join('\n');
    return `${head}\n${renderRows(nodeRows(node, style), style)}`;
  });
  const rows: Row[] = [
    ...shortList('not judged', silent, style),
    ...shortList('open', optional, style),
    ...unseen.map((text, i): Row => [i === 0 ? 'not seen' : '', style.dim(text)]),
    ...settings.map((one, i): Row => [i === 0 ? 'differ' : '', disagreementText(one)]),
    ...powerLimits.map((one): Row => ['power', style.warn(`${one}: ${LIMITS_ADVICE}`)]),
  ];
  return [
    ...wrap(headOf(check, style), style.width),
    ...blocks.map((block) => `\n${block}`),
    ...(named.length > MOST_NAMED
      ? [`\n  and ${plural(named.length - MOST_NAMED, 'node')} more; --format json has them all`]
      : []),
    ...(rows.length === 0 ? [] : ['', renderRows(rows, style)]),
  ].join('\n');
}

const left = (head: string, text: string): Cell => ({ head, align: 'left', text });
const right = (head: string, text: string): Cell => ({ head, align: 'right', text });

const FEW_DEFECTS = 10;

export function renderPlan(plan: FleetPlan, budget: number, runs: number, style: Style): string {
  const { checks, seconds, defects, covered, expected, leftOut, untimed } = printable(plan);
  const head = `${plural(checks.length, 'check')} in ${formatSeconds(seconds, 3)} of ${formatSeconds(budget, 3)}: they found ${covered} of ${plural(defects, 'defect')} that ${plural(runs, 'run')} had`;
  const rows = checks.map(({ name, seconds: cost, found, added }) => [
    left('check', name),
    right('time', formatSeconds(cost, 3)),
    right('found', String(found)),
    right('new', String(added)),
    right('new per minute', cost === 0 ? '-' : significant((60 * added) / cost, 2)),
  ]);
  const notes: Row[] = [
    ...(expected === null
      ? [
          [
            'expected',
            style.warn('fewer than two nodes had any: what the next ones are found by cannot be said'),
          ] as Row,
        ]
      : [
          [
            'expected',
            `${formatShare(expected.share)} of defects to come (95 %: ${formatShare(expected.low)} to ${formatShare(expected.high)}), each node left out in turn while choosing`,
          ] as Row,
        ]),
    ...(defects > 1 && defects < FEW_DEFECTS
      ? [['', style.warn(`${plural(defects, 'defect')} are few: take the choice for a hint`)] as Row]
      : []),
    ['counted', 'defects that some check found; what none of them sees is in no history'],
    ...(leftOut.length === 0
      ? []
      : [
          [
            'left out',
            leftOut
              .slice(0, 8)
              .map(
                ({ name, seconds: cost, found, added }) =>
                  `${name} (${formatSeconds(cost, 3)}, found ${found}${added === 0 && found > 0 ? ', all of them found already' : ''})`,
              )
              .join(', '),
          ] as Row,
        ]),
    ...(untimed.length === 0
      ? []
      : [
          [
            'not planned',
            `nobody knows how long they take: ${untimed
              .slice(0, 8)
              .map(({ name, found }) => `${name} (found ${found})`)
              .join(', ')}`,
          ] as Row,
        ]),
  ];
  return [
    ...wrap(style.bold(head), style.width),
    '',
    ...(rows.length === 0
      ? []
      : [renderFitting(rows, { optional: [], shortened: 'check', atLast: [] }, style), '']),
    renderRows(notes, style),
  ].join('\n');
}

const pairText = ([a, b]: Pair): string => `${a} ${b}`;

/** Only pairs, one a line: what a scheduler's loop reads. */
export const renderPairs = ({ pairs }: Plan): string => printable(pairs).map(pairText).join('\n');

/** A key names what is no plain text in its own way. */
const titleOf = (key: string): string => printableText(keyTitle(key));

/** `9.000 GB/s`; of several, each with what it is the limit of. */
export function limitsText(limits: LinkLimits, unit: string): string {
  const all = Object.entries(limits);
  return all
    .map(([what, limit]) =>
      all.length === 1 ? withPrefix(limit, unit) : `${withPrefix(limit, unit)} (${titleOf(what)})`,
    )
    .join(', ');
}

export function renderPairsVerdict(made: PairsVerdict, unit: string, style: Style): string {
  const { suspects, between, limits } = printable(made);
  const culprits = suspects.filter(({ verdict }) => verdict === 'culprit');
  const rateAt = (one: MeasuredPair, what: string): string => {
    const rate = one.rates?.[what] ?? null;
    return rate === null ? 'failed' : withPrefix(rate, unit);
  };
  const several = Object.keys(limits).length > 1;
  const open = suspects.filter(({ verdict }) => verdict === 'not measured');
  const namesOf = (some: readonly SuspectVerdict[]): string => some.map(({ node }) => node).join(', ');
  const head =
    culprits.length > 0
      ? style.bad(style.bold(`slow link at ${namesOf(culprits)}`))
      : open.length > 0
        ? style.warn(
            style.bold(
              `the culprit of a slow link is not known: nobody measured ${namesOf(open)} with a node that passed`,
            ),
          )
        : style.good(style.bold('no node is the culprit of a slow link'));
  const rows = suspects.map(({ node, verdict, first, second }) => {
    // Who is cleared is shown where it was slow, and who is not where it still is.
    const { what } = slowestOf(verdict === 'culprit' && second !== null ? second : first, limits);
    return [
      left('node', node),
      left('verdict', verdict === 'culprit' ? style.bad(verdict) : verdict),
      ...(several ? [left('slowest at', titleOf(what))] : []),
      right('first', rateAt(first, what)),
      right('again', second === null ? '' : rateAt(second, what)),
      left('with', second === null ? '' : second.pair.filter((other) => other !== node).join('')),
    ];
  });
  return [
    ...wrap(`${head}; a link passes from ${limitsText(limits, unit)}`, style.width),
    ...(rows.length === 0
      ? []
      : [
          '',
          renderFitting(rows, { optional: ['with', 'slowest at'], shortened: 'node', atLast: [] }, style),
        ]),
    ...between.map(
      (pair) =>
        `  ${style.warn(`${pair.join(' and ')} were slow together and are not apart: look at what lies between them, or measure that pair again`)}`,
    ),
  ].join('\n');
}
