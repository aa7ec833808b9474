/** What a KPI of a node is called: indicator, parameters, stack and KPI as one text, so that a line need not repeat their structure. Pure. */
import { UserError } from '../errors.js';
import { indicators } from '../indicators/index.js';
import { apartFromManner } from '../qualify/baseline-key.js';
import type { BaselineEntry } from '../qualify/baseline-schema.js';

export type CaseKey = Pick<BaselineEntry, 'indicator' | 'parameters' | 'stack' | 'kpi'>;
type Parameter = CaseKey['parameters'][string];

/** `matmul?dtype=float32&m=512@embedded#pibench_matmul_rate_flops_per_second`; of a stack file `@openblas:variant+name#` */
const FORM = /^([^?@#]+)\?([^?@#]*)@([^:@#+]*)(?::([^@#+]*))?(?:\+([^@#+]*))?#([a-z][a-z0-9_]*)$/;
/** A text that would be read as something else begins with it. */
const TEXT = '~';

const written = (value: Parameter): string => {
  if (typeof value !== 'string') return String(value);
  const encoded = encodeURIComponent(value);
  return encoded !== '' && typeof read(encoded) === 'string' && !encoded.startsWith(TEXT)
    ? encoded
    : `${TEXT}${encoded}`;
};

function read(text: string): Parameter {
  if (text.startsWith(TEXT)) return decodeURIComponent(text.slice(TEXT.length));
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return text !== '' && Number.isFinite(number) ? number : decodeURIComponent(text);
}

/** Equal for equal cases: the parameters are in the order of their names. */
export function keyText({ indicator, parameters, stack, kpi }: CaseKey): string {
  const all = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${written(value)}`);
  const variant = stack.variant === null ? '' : `:${encodeURIComponent(stack.variant)}`;
  const own = stack.own === undefined ? '' : `+${encodeURIComponent(stack.own)}`;
  return `${encodeURIComponent(indicator)}?${all.join('&')}@${encodeURIComponent(stack.provider)}${variant}${own}#${kpi}`;
}

/** null: another tool's name. */
export function readKey(text: string): CaseKey | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [, indicator = '', all = '', provider = '', variant, own, kpi = ''] = match;
  try {
    const parameters = all === '' ? [] : all.split('&').map((one) => one.split('='));
    return {
      indicator: decodeURIComponent(indicator),
      parameters: Object.fromEntries(
        parameters.map(([name, value]) => [decodeURIComponent(name ?? ''), read(value ?? '')]),
      ),
      stack: {
        provider: decodeURIComponent(provider),
        variant: variant === undefined ? null : decodeURIComponent(variant),
        ...(own === undefined ? {} : { own: decodeURIComponent(own) }),
      },
      kpi,
    };
  } catch {
    // A text of another tool that happens to have our form, with a `%` that encodes nothing.
    return null;
  }
}

/** What its indicator calls the case, or its parameters where this version does not know them. */
function caseTitle({ indicator }: CaseKey, parameters: CaseKey['parameters']): string {
  try {
    const known = indicators.find(({ name }) => name === indicator);
    if (known !== undefined) return known.title(parameters);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  const said = Object.entries(parameters)
    .filter(([, value]) => value !== false && value !== '')
    .map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return [indicator, ...said].join(' ');
}

const titles = new Map<string, string>();

/** Of a case of ours; another tool may mean something else by these names. */
function ownTitle(key: CaseKey): string {
  const { own, manner } = apartFromManner(key.parameters);
  return [caseTitle(key, own), stackText(key), manner].filter((part) => part !== '').join(', ');
}

/** For people: `matmul 512 x 512 x 512 float32, 2 threads, embedded, for 3s after 0.5s`. */
export function keyTitle(text: string): string {
  const known = titles.get(text);
  if (known !== undefined) return known;
  const key = readKey(text);
  const title = key === null ? text : ownTitle(key);
  titles.set(text, title);
  return title;
}

const stackText = ({ stack: { provider, variant, own } }: CaseKey): string =>
  own ?? (variant === null ? provider : `${provider}:${variant}`);
