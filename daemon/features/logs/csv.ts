import type { Operation } from '../../contract/logs.ts';
import { resultName } from '../../contract/result.ts';
import { plainLine } from '../../lib/log.ts';

export const csvHead = 'Time,User,IP address,Access token,Action,Details,Result\r\n';
/** Marks the file as UTF-8 for spreadsheets. */
export const byteOrderMark = '\ufeff';

export function csvLine({ time, user, ip, via, action, detail, result }: Operation): string {
  const outcome = resultName(result) ?? String(result);
  return `${[new Date(time).toISOString(), user, ip, via, action, detail, outcome].map(cell).join(',')}\r\n`;
}

/** Text that a spreadsheet would read as a formula, in half-width or full-width characters. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** One line, quoted as in RFC 4180. A formula is prefixed with an apostrophe, which spreadsheets hide. */
function cell(text: string): string {
  const line = plainLine(text);
  const safe = formula.test(line) ? `'${line}` : line;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
