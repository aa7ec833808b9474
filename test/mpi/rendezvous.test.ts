import { describe, expect, it } from 'vitest';
import { mpiPlace } from '../../src/mpi/place.js';
import { checkMeetingPlace, isMeetingPlace, rankVariables } from '../../src/mpi/rendezvous.js';

describe('a rank that was given its number', () => {
  it('is one as if a launcher had said so, but of its host nothing is known', () => {
    const variables = rankVariables(['collective', '--rank', '1', '--ranks=3', '--rendezvous', 'file:/x']);
    expect(mpiPlace(variables)).toEqual({
      launcher: 'rank',
      rank: 1,
      size: 3,
      localRank: null,
      localSize: null,
    });
  });

  it('is left to the launcher where none is given', () => {
    expect(rankVariables(['--ranks', '3', '--rendezvous', 'file:/x'])).toEqual({});
  });

  it.each([
    [['--rank', '0'], /--rank says which of how many: add --ranks/],
    [['--rank', '2', '--ranks', '2'], /--rank takes 0 to 1, with --ranks 2; got "2"/],
    [['--rank', 'x', '--ranks', '2'], /--rank takes 0 to 1/],
    [['--rank', '0', '--ranks', '0'], /--ranks takes a whole number of at least 1/],
  ])('refuses %j', (args, says) => {
    expect(() => rankVariables(args)).toThrow(says);
  });
});

describe('the place of a rendezvous', () => {
  it.each(['tcp:node1:29500', 'tcp:[::1]:1', 'file:/shared/place'])('may be %s', (place) => {
    expect(checkMeetingPlace(place)).toBe(place);
    expect(isMeetingPlace(place)).toBe(true);
  });
  it.each(['', 'node1:29500', 'tcp:node1', 'file:', 'udp:a:1'])('may not be "%s"', (place) => {
    expect(() => checkMeetingPlace(place)).toThrow(/--rendezvous takes tcp:HOST:PORT or file:PATH/);
  });
  it('is no MPI library', () => {
    expect(isMeetingPlace('/usr/lib/libmpi.so.40')).toBe(false);
  });
});
