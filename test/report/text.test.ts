/** Texts of a record enter pages and tables as text and nothing else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from '../../src/report/formats/csv-text.js';
import { escapeHtml, scriptJson, scriptProgram } from '../../src/report/page/escape.js';

describe('escapeHtml', () => {
  it('leaves no letter that opens an element, an entity or a quote', () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;',
    );
  });
});

describe('scriptJson', () => {
  it('gives the same value back and cannot end its element', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('</script>', '<!--', ']]>', '\u2028'), (value, hostile) => {
        const text = scriptJson({ value, [hostile]: hostile });
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ value, [hostile]: hostile })));
      }),
    );
  });

  it('refuses a program that would end its own element', () => {
    expect(() => scriptProgram('x = "</SCRIPT>"')).toThrow(/end its own element/);
    expect(scriptProgram('x < 1')).toBe('x < 1');
  });
});

describe('csvText', () => {
  it('quotes what has commas, quotes or line ends, and leaves null empty', () => {
    expect(
      csvText({
        columns: ['a', 'b'],
        rows: [
          ['x,"y"\n', null],
          [1.5, -2],
        ],
      }),
    ).toBe('a,b\r\n"x,""y""\n",\r\n1.5,-2\r\n');
  });

  it('keeps a spreadsheet from taking a name for a formula', () => {
    expect(csvText({ columns: ['a'], rows: [['=1+1'], ['@x'], ['+1']] })).toBe(
      "a\r\n'=1+1\r\n'@x\r\n'+1\r\n",
    );
  });
});
