/** A file that a person wrote, in YAML or JSON, checked by a schema; what is wrong with it is said with its line. Pure. */
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { messageOf, UserError } from './errors.js';
import { issueText } from './issue-text.js';

export interface CheckedYaml<T> {
  readonly data: T;
  /** From 1: of the deepest node there is on the way, for a missing key has no line of its own. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** What the document says. @throws UserError for aliases of nothing, or of too much: they are found out only here */
function plainOf(document: Document, name: string, lines: LineCounter): unknown {
  try {
    return document.toJS();
  } catch (error) {
    let line = 1;
    visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document) !== undefined) return undefined;
        line = lines.linePos(alias.range?.[0] ?? 0).line;
        return visit.BREAK;
      },
    });
    throw new UserError(`${name}:${line}: ${messageOf(error)}`);
  }
}

/**
 * @param content of the file; JSON is YAML too
 * @param name of the file, for messages
 * @param what the file is to be: "a campaign file"
 * @param explain better words for an issue; null: the schema's own do
 * @throws UserError that names the line
 */
export function checkYaml<T>(
  content: string,
  name: string,
  what: string,
  schema: z.ZodType<T>,
  explain: (issue: z.core.$ZodIssue) => string | null = () => null,
): CheckedYaml<T> {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    throw new UserError(`${name}:${lines.linePos(syntax.pos[0]).line}: ${syntax.message}`);
  }
  if (document.contents === null) throw new UserError(`${name}:1: it is empty: ${what} was to be there`);
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let depth = path.length; depth >= 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const parsed = schema.safeParse(plainOf(document, name, lines), { error: issueText });
  if (parsed.success) return { data: parsed.data, lineOf };
  const { issues } = parsed.error;
  // Who mistypes a key lacks one, too: what was written says more than what is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) throw new UserError(`${name} is no ${what.replace(/^an? /, '')}`);
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new UserError(`${name}:${lineOf(path)}: ${where}${explain(issue) ?? issue.message}`);
}
