/** Small multiples as one SVG: lines over a logarithmic n, labeled at their ends, legible in light and dark. */
export interface Line {
  readonly label: string;
  readonly isOurs: boolean;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}
export interface Panel {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly isLogarithmic: boolean;
  readonly lines: readonly Line[];
}

const panelWidth = 480;
const panelHeight = 300;
const columns = 2;
const inner = { left: 56, right: 168, top: 44, bottom: 46 } as const;
const labelDistance = 15;
/** More dots would hide the line. */
const dotsAtMost = 12;

const style = `
    text { font: 12px system-ui, sans-serif; fill: #3d434b; }
    .title { font-weight: 600; font-size: 14px; fill: #1b1f24; }
    .grid { stroke: #d9dde2; } .axis { stroke: #8a929c; }
    .line { fill: none; stroke-width: 2; } .ours { stroke-width: 3; }
    .c0 { stroke: #0b63ce; } .c1 { stroke: #b4480c; } .c2 { stroke: #5d6b17; } .c3 { stroke: #7a3fa8; }
    .f0 { fill: #0b63ce; font-weight: 600; } .f1 { fill: #b4480c; } .f2 { fill: #5d6b17; } .f3 { fill: #7a3fa8; }
    .back { fill: #ffffff; } .label { stroke: #ffffff; stroke-width: 4; paint-order: stroke; }
    @media (prefers-color-scheme: dark) {
      text { fill: #b6bdc6; } .title { fill: #eef1f4; } .back { fill: #15181c; } .label { stroke: #15181c; }
      .grid { stroke: #2d333a; } .axis { stroke: #6b747e; }
      .c0 { stroke: #6cb0ff; } .c1 { stroke: #ff9d5c; } .c2 { stroke: #c2d368; } .c3 { stroke: #cf9bf5; }
      .f0 { fill: #6cb0ff; } .f1 { fill: #ff9d5c; } .f2 { fill: #c2d368; } .f3 { fill: #cf9bf5; }
    }`;

export function svgPlot(title: string, panels: readonly Panel[]): string {
  const width = panelWidth * Math.min(columns, Math.max(1, panels.length));
  const height = panelHeight * Math.ceil(panels.length / columns);
  const drawn = panels.map((panel, i) => {
    const [x, y] = [(i % columns) * panelWidth, Math.floor(i / columns) * panelHeight];
    return `<g transform="translate(${x} ${y})">\n${drawPanel(panel)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>${escapeXml(title)}</title>
  <style>${style}
  </style>
  <rect class="back" width="${width}" height="${height}"/>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel(panel: Panel): string {
  const xs = [...new Set(panel.lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const ticks = niceTicks(Math.max(0, ...panel.lines.flatMap(({ points }) => points.map(({ y }) => y))));
  const top = ticks.at(-1) ?? 1;
  const place = panel.isLogarithmic ? Math.log2 : (x: number): number => x;
  const [low, high] = [place(xs[0] ?? 1), place(xs.at(-1) ?? 1)];
  const [right, bottom] = [panelWidth - inner.right, panelHeight - inner.bottom];
  const toX = (x: number): number =>
    high === low ? (inner.left + right) / 2 : inner.left + ((place(x) - low) / (high - low)) * (right - inner.left);
  const toY = (y: number): number => bottom - (y / top) * (bottom - inner.top);
  const scale: Scale = { toX, toY, right, bottom };
  const shownXs = panel.isLogarithmic ? xs : xs.filter((_, i) => i % Math.ceil(xs.length / 7) === 0);
  return [
    text(inner.left, 20, panel.title, 'class="title"'),
    text(inner.left, 36, panel.yLabel),
    text((inner.left + right) / 2, panelHeight - 10, panel.xLabel, 'text-anchor="middle"'),
    ...ticks.map((tick) => drawGridLine(tick, scale)),
    ...shownXs.map((x) => text(toX(x), bottom + 17, String(x), 'text-anchor="middle"')),
    ...panel.lines.map((line, i) => drawLine(line, i, scale)),
    ...drawLabels(panel.lines, scale),
  ].join('\n');
}

interface Scale {
  readonly toX: (x: number) => number;
  readonly toY: (y: number) => number;
  readonly right: number;
  readonly bottom: number;
}

function drawGridLine(tick: number, { toY, right }: Scale): string {
  const y = round(toY(tick));
  const kind = tick === 0 ? 'axis' : 'grid';
  const label = text(inner.left - 6, y + 4, trimNumber(tick), 'text-anchor="end"');
  return `<line class="${kind}" x1="${inner.left}" x2="${right}" y1="${y}" y2="${y}"/>${label}`;
}

function drawLine({ points, isOurs }: Line, index: number, { toX, toY }: Scale): string {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  const at = sorted.map(({ x, y }) => `${round(toX(x))},${round(toY(y))}`).join(' ');
  const dots = (sorted.length <= dotsAtMost ? sorted : []).map(
    ({ x, y }) => `<circle class="f${index % 4}" cx="${round(toX(x))}" cy="${round(toY(y))}" r="3"/>`,
  );
  return `<polyline class="line c${index % 4}${isOurs ? ' ours' : ''}" points="${at}"/>${dots.join('')}`;
}

/** Next to the last point of each line, moved apart where they would overlap. */
function drawLabels(lines: readonly Line[], { toX, toY }: Scale): string[] {
  const ends = lines.flatMap((line, index) => {
    const last = line.points.toSorted((a, b) => a.x - b.x).at(-1);
    return last === undefined ? [] : [{ index, label: line.label, x: toX(last.x) + 9, y: toY(last.y) + 4 }];
  });
  let previous = Number.NEGATIVE_INFINITY;
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map(({ index, label, x, y }) => {
      previous = Math.max(y, previous + labelDistance);
      return text(x, previous, label, `class="label f${index % 4}"`);
    });
}

/** From 0 in steps of 1, 2 or 5 times a power of ten, four to eight steps. */
export function niceTicks(max: number): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10);
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${attributes === '' ? '' : ` ${attributes}`}>${escapeXml(content)}</text>`;
}
const round = (value: number): number => Math.round(value * 10) / 10;
const trimNumber = (value: number): string => String(Number(value.toPrecision(6)));

export function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
