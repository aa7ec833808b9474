/** What an editor says of a suite by its JSON Schema: what the reader refuses as missing, and no more. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseSuite } from '../../src/qualify/suite.js';
import { jsonSchemas } from '../../src/record/json-schema.js';

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** By the words of JSON Schema that say which keys there are. */
function has(value: unknown, schema: Schema): boolean {
  const alike =
    (schema.allOf ?? []).every((one) => has(value, one)) &&
    (schema.anyOf === undefined || schema.anyOf.some((one) => has(value, one)));
  if (!alike || typeof value !== 'object' || value === null) return alike;
  const { required = [], properties = {}, items = {}, dependentRequired = {} } = schema;
  if (Array.isArray(value)) return value.every((one) => has(one, items));
  return (
    required.every((key) => key in value) &&
    Object.entries(dependentRequired).every(
      ([key, all]) => !(key in value) || all.every((one) => one in value),
    ) &&
    Object.entries(value).every(([key, own]) =>
      key in properties ? has(own, properties[key] ?? {}) : schema.additionalProperties !== false,
    )
  );
}

const NAMED = 'name: a\nchecks: []\n';
const MEASURE = 'measure: [{ indicator: matmul, labels: { part: a } }]';
const BASE = `name: t1\ncampaign: { ${MEASURE} }\n`;

describe('the JSON Schema of a suite', () => {
  const isTaken = (text: string): boolean => {
    try {
      return parseSuite(text, 'own.yaml', () => BASE) !== null;
    } catch {
      return false;
    }
  };

  it.each([
    ['nothing but checks', 'name: a\nchecks: [{ check: swap }]', true],
    ['no checks', `name: a\ncampaign: { ${MEASURE} }`, true],
    ['a campaign that measures', `${NAMED}campaign: { budget: 5min, ${MEASURE} }`, true],
    ['a campaign that measures nothing', `${NAMED}campaign: { budget: 5min }`, false],
    ['one of a suite that extends another', `${NAMED}extends: t1\ncampaign: { budget: 5min }`, true],
    ['defaults for nothing', `${NAMED}extends: t1\ncampaign: { defaults: { duration: 5s } }`, false],
    ['defaults', `${NAMED}campaign: { defaults: { duration: 5s }, ${MEASURE} }`, true],
    ['a part that has no name', `${NAMED}campaign: { measure: [{ indicator: matmul }] }`, false],
    ['another label', `${NAMED}campaign: { measure: [{ indicator: matmul, labels: { b: c } }] }`, false],
    ['a stack file', `${NAMED}campaign: { stackFile: own.yaml, ${MEASURE} }`, false],
    ['no name', 'checks: []', false],
  ])('takes or refuses %s as its reader does', (_, text, taken) => {
    expect(isTaken(text)).toBe(taken);
    expect(has(parse(text), jsonSchemas().suite as Schema)).toBe(taken);
  });
});
