/** What a fleet's check says to a person, on the terminal and on its page. */
import { describe, expect, it } from 'vitest';
import { checkFleet } from '../../src/fleet/check.js';
import type { NodeLine } from '../../src/fleet/node-line.js';
import { fleetOf } from '../../src/fleet/table.js';
import { renderFleetCheck } from '../../src/readers/terminal/fleet.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { fleetPageHtml } from '../../src/report/page/fleet-page.js';
import { healthyNodes } from '../fleet/support.js';

const OPTIONS = { scale: 1, baseline: null };
const textOf = (nodes: readonly NodeLine[]): string =>
  renderFleetCheck(checkFleet(fleetOf(nodes), OPTIONS), terminalStyle({}));
const pageOf = (nodes: readonly NodeLine[]): Promise<string> => {
  const fleet = fleetOf(nodes);
  return fleetPageHtml(fleet, checkFleet(fleet, OPTIONS), '0.0.0', () => Promise.resolve('<svg></svg>'));
};

const lost = (node: NodeLine, why: string): NodeLine => ({
  ...node,
  problems: [{ kind: 'lost', what: 'matmul', why }],
});

describe('nodes of which the same is said', () => {
  const nodes = healthyNodes(6).map((node, i) =>
    i === 2 ? lost(node, 'killed') : i > 2 ? lost(node, 'the time was up') : node,
  );

  it('are one paragraph under all of their names', () => {
    const text = textOf(nodes);
    expect(text).toMatch(/4 nodes to be measured again/);
    expect(text.match(/^\S.*\n {2}cause/gm)).toEqual(['n2\n  cause', 'n3, n4, n5\n  cause']);
  });

  it('are one card of the page', async () => {
    expect((await pageOf(nodes)).match(/(?<=<h2>)n\d.*(?=<\/h2>)/g)).toEqual(['n2', 'n3, n4, n5']);
  });
});

describe('the page of a fleet', () => {
  const headOf = async (nodes: readonly NodeLine[]): Promise<string | undefined> =>
    /(?<=<h1>).*(?=<\/h1>)/.exec(await pageOf(nodes))?.[0];

  it('begins with what the check came to, and says of no node that it does not stand out where nobody can tell', async () => {
    expect(await headOf(healthyNodes(4))).toBe('No node stands out');
    const two = await pageOf(healthyNodes(2));
    expect(two).toMatch(/<h1>Not everything could be judged<\/h1>/);
    expect(two).not.toMatch(/stands out/);
    const [first, ...others] = healthyNodes(4);
    expect(await headOf([lost(first as NodeLine, 'killed'), ...others])).toBe(
      'Not everything could be judged: 1 node to be measured again',
    );
  });
});

describe('a list of the page', () => {
  it('says how many more there are than it has', async () => {
    const checks = Array.from({ length: 120 }, (_, i) => ({
      name: `ecc/part-${i}`,
      verdict: 'inconclusive' as const,
      required: false,
      cause: null,
      reason: 'nobody looked',
      seconds: null,
    }));
    const page = await pageOf(healthyNodes(4).map((node) => ({ ...node, checks })));
    const [, list = ''] = page.split('<h2>Open, and not required</h2>');
    expect(list.split('</ul>')[0]?.match(/<li>/g)).toHaveLength(101);
    expect(list).toContain('<li>and 20 more, which the JSON has</li></ul>');
  });
});

describe('KPIs that are not judged for one reason', () => {
  it('are told together, so that others are not beyond what is listed', () => {
    const text = textOf(healthyNodes(2, 7)).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/matmul 512 x 512 x 512 .* and 6 more: 2 nodes have it, and fewer than 3/);
    expect(text).not.toMatch(/matmul 513/);
  });
});

describe('what is lost', () => {
  it('is to be measured again, and resumed only where it was killed', () => {
    const [first, ...others] = healthyNodes(4);
    const text = textOf([lost(first as NodeLine, 'the time was up'), ...others]).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/then measure it again; what was killed goes on with pi-bench resume/);
  });
});
