import type { ResultName } from '../../contract/result.ts';

const statusOf: Partial<Record<ResultName, number>> = {
  ...{ notLoggedIn: 401, notPermitted: 403, clientNotExist: 404, unsupported: 404, tooMany: 503, portOccupied: 503 },
  ...{ clientOffline: 502, verifyFailed: 502, invalidData: 502, targetTimeout: 504 },
};

/** The HTTP status of a page about this result. */
export const withFaultStatus = (result: ResultName): number => statusOf[result] ?? 500;
