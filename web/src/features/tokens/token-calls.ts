import { queryOptions } from '@tanstack/react-query';
import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { tokenApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';
import { type Credentials, presentPassword } from '../../shared/password/auth-calls.ts';

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await call(tokenApi.list, { signal })).list,
});

const add = changing(tokenApi.add, 'tokens');
export const deleteToken = changing(tokenApi.del, 'tokens');

/** Returns the token, which can be read only once. */
export async function addToken(
  by: Credentials,
  fields: Omit<BodyInput<typeof tokenApi.add>, 'password'>,
): Promise<string> {
  const { token } = await add({ ...fields, ...(await presentPassword(by.id, by.password)) });
  return token;
}
