/** Session cookies. Only `sid` is trusted; the others exist for display and for clients that expect them. */
export const cookieNames = {
  sid: 'mwcloud-sid',
  uid: 'mwcloud-uid',
  userName: 'signalbox-user-name',
  userType: 'signalbox-user-type',
  userId: 'signalbox-user-id',
  permission: 'signalbox-permission',
  checksum: 'signalbox-checksum',
} as const;

/**
 * The same as `sid`, but set over HTTP only. A browser that holds a `Secure` `sid` from HTTPS neither sends it over
 * HTTP nor lets an HTTP response replace it, whatever the port.
 */
export const httpSidCookie = 'signalbox-http-sid';
