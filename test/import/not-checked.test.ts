/** What is said of the checks that nobody can run on an import: each is missing something else. */
import { expect, it } from 'vitest';
import { uncheckable } from '../../src/import/not-checked.js';

it('each check names what it would have needed', () => {
  const kernel = 'nothing of what the kernel counted was published';
  const gpu = 'no readings of a GPU were published';
  const times = 'the times of the repetitions were not published';
  expect(uncheckable([]).map(({ flag, why }) => [flag, why])).toEqual([
    ['throttled', kernel],
    ['device-errors', gpu],
    ['power-brake', gpu],
    ['thermal', gpu],
    ['clock-held', gpu],
    ['power-capped', gpu],
    ['power-limit-moved', gpu],
    ['foreign-load', gpu],
    ['clock-not-settled', gpu],
    ['link-degraded', gpu],
    ['far-memory', 'where the host’s memory of copies lay was not published'],
    ['stolen', kernel],
    ['preempted', kernel],
    ['migrated', kernel],
    ['contended', kernel],
    ['crowded', 'how many threads took turns on how many CPUs was not published'],
    ['mixed-cores', 'on which cores the threads ran was not published'],
    ['skewed', 'whether ranks began at one moment was not published'],
    ['drifting', times],
    ['stepped', times],
    ['not-steady', times],
    ['quantised', times],
    ['multimodal', times],
    ['clock-limited', 'the resolution of the clock was not published'],
    ['outlying', times],
    ['launches-not-independent', 'in which order the launches were measured was not published'],
    ['above-ceiling', 'no ceiling was published that was measured beside the launches'],
    ['peak-moved', 'no peak was published that was measured beside the launches'],
  ]);
});

it('leaves out what the importer words itself', () => {
  const all = uncheckable([]);
  const but = uncheckable(['throttled', 'quantised']);
  expect(but).toEqual(all.filter(({ flag }) => flag !== 'throttled' && flag !== 'quantised'));
});
