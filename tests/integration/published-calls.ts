/** Calls of the published API as a script makes them with curl, and the documented members of the answers. */
import { expect } from 'bun:test';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type ApiResponse = { result: number; [name: string]: Json };

/** `place` returns the address of the hub and the cookies of the session. */
export function publishedCalls(place: () => { readonly url: string; readonly cookie: string }) {
  async function curl(path: string, ...args: string[]): Promise<string> {
    const { url, cookie } = place();
    const command = ['curl', '--silent', '--show-error', '--max-time', '20', '--cookie', cookie, ...args];
    const child = Bun.spawn([...command, `${url}${path}`], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    const [text, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect(complaint).toBe('');
    return text;
  }
  const sent = async (path: string, body: Json): Promise<ApiResponse> =>
    JSON.parse(await curl(path, '--header', 'Content-Type: application/json', '--data', JSON.stringify(body)));
  return {
    curl,
    sent,
    asked: async (path: string): Promise<ApiResponse> => JSON.parse(await curl(path)),
    async good(path: string, body: Json): Promise<ApiResponse> {
      const answer = await sent(path, body);
      expect({ path, ...answer }).toMatchObject({ path, result: 0 });
      return answer;
    },
  };
}

export type Shape = {
  readonly [name: string]: 'number' | 'string' | 'boolean' | 'numbers' | 'strings' | 'list' | Shape;
};
export function expectShape(value: Json | undefined, shape: Shape, at = ''): void {
  for (const [name, type] of Object.entries(shape)) {
    const member = (value as { [name: string]: Json })[name];
    const path = `${at}${name}`;
    if (typeof type === 'object') expectShape(member, type, `${path}.`);
    else if (type === 'list') expect({ path, isList: Array.isArray(member) }).toEqual({ path, isList: true });
    else if (type === 'numbers' || type === 'strings') {
      const types = new Set((member as Json[]).map((one) => `${typeof one}s`));
      expect({ path, types }).toEqual({ path, types: new Set([type]) });
    } else expect({ path, type: typeof member }).toEqual({ path, type });
  }
}
