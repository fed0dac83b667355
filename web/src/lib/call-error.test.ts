import { expect, test } from 'bun:test';
import { CallError, faultOf, readAnswer } from './call-error.ts';

function thrown(body: unknown): CallError {
  try {
    readAnswer(body);
  } catch (error) {
    if (error instanceof CallError) return error;
  }
  throw new Error('nothing was thrown');
}

test('result 0 returns the response', () => {
  expect(readAnswer({ result: 0, id: 5 })).toEqual({ result: 0, id: 5 });
});

test('a known code becomes its name, with its parameters and fields', () => {
  const fields = [{ path: 'name', rule: 'exists', message: '' }];
  expect(thrown({ result: 1007, params: { port: 8000 }, fields })).toMatchObject({
    fault: 'portOccupied',
    params: { port: 8000 },
    fields,
  });
});

test('a code of a later hub keeps its number', () => {
  expect(thrown({ result: 4711 })).toMatchObject({ fault: 'unknownCode', code: 4711 });
});

test('a response that is not from a hub is not a success', () => {
  for (const body of [null, 'text', {}, { result: 'ok' }]) expect(thrown(body).fault).toBe('unexpectedAnswer');
});

test('only codes that the table marks may be forced', () => {
  expect(new CallError('objectBusy').isForceable).toBe(true);
  expect(new CallError('notExist').isForceable).toBe(false);
  expect(new CallError('unreachable').isForceable).toBe(false);
});

test('another kind of error has no fault', () => {
  expect(faultOf(new Error('x'))).toBeUndefined();
});
