import type { Operation } from '../../contract/logs.ts';
import { resultName } from '../../contract/result.ts';
import { plainLine } from '../../lib/log.ts';

export const csvHead = 'Time,User,IP address,Access token,Action,Details,Result\r\n';
/** Tells spreadsheets that it is UTF-8. */
export const byteOrderMark = '\ufeff';

export function csvLine({ time, user, ip, via, action, detail, result }: Operation): string {
  const outcome = resultName(result) ?? String(result);
  return `${[new Date(time).toISOString(), user, ip, via, action, detail, outcome].map(cell).join(',')}\r\n`;
}

/** What a spreadsheet takes for a formula, in either width of the characters. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** One line, quoted as RFC 4180 has it. A formula gets an apostrophe, which spreadsheets hide. */
function cell(text: string): string {
  const line = plainLine(text);
  const safe = formula.test(line) ? `'${line}` : line;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
