/** Session cookies. Only `sid` is trusted; the others are for programs that expect them. */
export const cookieNames = {
  sid: 'mwcloud-sid',
  uid: 'mwcloud-uid',
  userName: 'signalbox-user-name',
  userType: 'signalbox-user-type',
  userId: 'signalbox-user-id',
  permission: 'signalbox-permission',
  checksum: 'signalbox-checksum',
  /** Tells the console's own scripts that somebody is signed in; it says nothing else. */
  signedIn: 'signalbox-signed-in',
} as const;

/**
 * The same as `sid`, but set over HTTP only. A browser that holds a `Secure` `sid` from HTTPS neither sends it over
 * HTTP nor lets an HTTP response replace it, whatever the port.
 */
export const httpSidCookie = 'signalbox-http-sid';
