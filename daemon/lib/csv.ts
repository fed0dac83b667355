/** Tables of comma-separated values, as spreadsheets open them. */
import { plainLine } from './log.ts';

/** Marks the file as UTF-8 for spreadsheets. */
export const byteOrderMark = '\ufeff';

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

export function csvHeaders(fileName: string): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
  };
}

/** Text that a spreadsheet would read as a formula, in half-width or full-width characters. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** One line, quoted as in RFC 4180. A formula is prefixed with an apostrophe, which spreadsheets hide. */
function cell(text: string): string {
  const line = plainLine(text);
  const safe = formula.test(line) ? `'${line}` : line;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
