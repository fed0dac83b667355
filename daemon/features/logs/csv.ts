import type { Operation } from '../../contract/logs.ts';
import { resultName } from '../../contract/result.ts';

export const csvHead = 'Time,User,IP address,Access token,Action,Details,Result\r\n';
/** Tells spreadsheets that it is UTF-8. */
export const byteOrderMark = '\ufeff';

export function csvLine({ time, user, ip, via, action, detail, result }: Operation): string {
  const outcome = resultName(result) ?? String(result);
  return `${[new Date(time).toISOString(), user, ip, via, action, detail, outcome].map(cell).join(',')}\r\n`;
}

/** Quoted as RFC 4180 has it. What a spreadsheet would take for a formula gets an apostrophe, which it hides. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
