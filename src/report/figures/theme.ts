/** Colours of figures: fixed ones for files of their own, the page's variables where the page decides between light and dark. */
import type { Config } from 'vega';

export interface Theme {
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  /** Behind the figure. */
  readonly surface: string;
  /** What is measured, and a light shade of it. */
  readonly main: string;
  readonly soft: string;
  /** What it is held against. */
  readonly other: string;
  /** What needs a second look. */
  readonly alarm: string;
  /** Lines of several kinds, told apart by their names too. */
  readonly series: readonly string[];
}

export const LIGHT: Theme = {
  ink: '#1b2430',
  muted: '#556170',
  grid: '#e3e7ec',
  surface: '#ffffff',
  main: '#0b5cad',
  soft: '#a9cdf0',
  other: '#b4480a',
  alarm: '#c0182c',
  series: ['#0b5cad', '#b4480a', '#16793c', '#7a3fc0', '#8a6500', '#0b7285', '#b81f73', '#4a5a6a'],
};

/** Each name is a custom property of assets/report/page.css. */
export const PAGE: Theme = {
  ink: 'var(--ink)',
  muted: 'var(--muted)',
  grid: 'var(--grid)',
  surface: 'var(--surface)',
  main: 'var(--main)',
  soft: 'var(--soft)',
  other: 'var(--other)',
  alarm: 'var(--alarm)',
  series: LIGHT.series.map((_, i) => `var(--series-${i + 1})`),
};

const FONT = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const SMALL = 11.5;

export function configOf(theme: Theme): Config {
  const text = { labelFont: FONT, titleFont: FONT, labelFontSize: SMALL, titleFontSize: SMALL };
  return {
    axis: {
      ...text,
      labelColor: theme.muted,
      titleColor: theme.ink,
      titleFontWeight: 600,
      titlePadding: 8,
      gridColor: theme.grid,
      domainColor: theme.muted,
      tickColor: theme.muted,
      tickSize: 4,
      labelOverlap: true,
      labelSeparation: 6,
    },
    legend: {
      ...text,
      labelColor: theme.ink,
      titleColor: theme.ink,
      symbolSize: 70,
      orient: 'top',
      labelLimit: 220,
    },
    text: { font: FONT, fontSize: SMALL, fill: theme.ink },
  };
}
