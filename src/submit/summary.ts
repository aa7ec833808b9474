/** How a submission ended: for programs as a document, and as an exit code. Pure. */
import { EXIT } from '../errors.js';
import type { SubmissionJournal } from './journal.js';
import { lastEnd, statesOf, type TargetState } from './state.js';

/** `no`: measured, and the answer is no, or the result is wrong. `incomplete`: some of its launches are missing. */
export type NodeStatus = 'done' | 'no' | 'wrong' | 'incomplete' | 'refused' | 'lost' | 'running';

export interface NodeSummary {
  readonly target: string;
  /** As it calls itself; null while that is not known. */
  readonly node: string | null;
  readonly status: NodeStatus;
  readonly exitCode: number | null;
  readonly reason: string | null;
  /** Relative to the submission's folder. */
  readonly record: string | null;
  /** Of those that brought no result; the last one's reason is the status's. */
  readonly lostAttempts: readonly {
    readonly attempt: number;
    readonly node: string | null;
    readonly reason: string | null;
  }[];
}

export interface SubmissionSummary {
  readonly kind: 'pi-bench submission';
  readonly schemaVersion: 1;
  readonly id: string;
  readonly createdAt: string;
  readonly scheduler: string;
  readonly command: readonly string[];
  readonly nodes: readonly NodeSummary[];
}

function statusOf(state: TargetState): NodeStatus {
  const end = lastEnd(state);
  if (state.phase !== 'ended' || end === null) return 'running';
  switch (end.exitCode) {
    case null:
      return 'lost';
    case EXIT.done:
      // Who says that all is well and has nothing to show for it has measured nothing that anybody could look at.
      return end.record === null ? 'refused' : 'done';
    case EXIT.answerIsNo:
      return 'no';
    case EXIT.wrongResult:
      return 'wrong';
    default:
      return end.record === null && end.exitCode < EXIT.signal(0) ? 'refused' : 'incomplete';
  }
}

function summaryOf(state: TargetState): NodeSummary {
  const end = lastEnd(state);
  return {
    target: state.target,
    node: end?.node ?? null,
    status: statusOf(state),
    exitCode: end?.exitCode ?? null,
    reason: end?.reason ?? null,
    record: end?.record ?? null,
    lostAttempts: state.ends
      .filter(({ exitCode }) => exitCode === null)
      .map(({ attempt, node, reason }) => ({ attempt, node, reason })),
  };
}

export function summarise(journal: SubmissionJournal): SubmissionSummary {
  const { id, createdAt, scheduler, command } = journal.head;
  return {
    kind: 'pi-bench submission',
    schemaVersion: 1,
    id,
    createdAt,
    scheduler,
    command,
    nodes: [...statesOf(journal).values()].map(summaryOf),
  };
}

/** Nodes that the scheduler chose more than once, so that another one is missing. */
export function chosenTwice(nodes: readonly Pick<NodeSummary, 'node'>[]): readonly string[] {
  const names = nodes.flatMap(({ node }) => (node === null ? [] : [node]));
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}

/** 1 where a node's answer is no or its result wrong: no other node can mend that. 2 where anything is missing. */
export function exitCodeOf({ nodes }: SubmissionSummary): number {
  if (nodes.some(({ status }) => status === 'no' || status === 'wrong')) return EXIT.answerIsNo;
  const all = nodes.length > 0 && nodes.every(({ status }) => status === 'done');
  return all && chosenTwice(nodes).length === 0 ? EXIT.done : EXIT.incomplete;
}
