import { describe, expect, test } from 'bun:test';
import { capabilitiesOf, families, familyOf, familyOfProduct, serialParts, t450 } from './device-catalog.ts';

describe('product ids', () => {
  test.each([
    [769, 'ultraStream'],
    [787, 'ultraEncode'],
    [788, 'others'],
    [1033, 'proConvertEncoder'],
    [1034, 'others'],
    [1057, 'proConvertDecoder'],
    [1060, 'proConvertAudio'],
    [1061, 'proConvertDecoder'],
    [1072, 'xmit'],
    [1091, 'proConvertDecoder'],
    [1092, 'others'],
    [1104, 'thirdParty'],
    [1286, 'usbFusion'],
    [1320, 'director'],
    [1314, 'modator'],
    [1538, 'router'],
    [t450, 'thirdParty'],
  ] as const)('%d is of the family %s', (productId, family) => {
    expect(familyOfProduct(productId)).toBe(family);
  });

  test.each([
    ['D301210104248', 'D', 769],
    ['B313231201201', 'B', 787],
    ['B401180706020', 'B', 1025],
    ['A506211025003', 'A', 1286],
  ])('the serial number %s contains hardware %s and product %d', (sn, hardwareVersion, productId) => {
    expect(serialParts(sn)).toEqual({ hardwareVersion, productId });
  });

  test.each(['', 'B31323120120', 'b313231201201', 'X-1'])('the serial number "%s" is of another form', (sn) => {
    expect(serialParts(sn)).toBeUndefined();
  });

  test('an unknown family id counts as others', () => {
    expect(familyOf(77)).toBe('others');
    expect(familyOf(families.thirdParty)).toBe('thirdParty');
  });
});

describe('capabilities', () => {
  const of = (family: keyof typeof families, model = '', productId = 0) =>
    capabilitiesOf({ family, model, productId, api: 'usapi' });

  test.each([
    ['ultraStream', 'Ultra Stream HDMI', true],
    ['director', 'Director Mini', true],
    ['ultraEncode', 'Ultra Encode AIO', true],
    ['ultraEncode', 'Ultra Encode HDMI Plus', true],
    ['ultraEncode', 'Ultra Encode SDI Plus', true],
    ['ultraEncode', 'Ultra Encode HDMI', false],
    ['proConvertEncoder', 'Pro Convert HDMI TX', false],
    ['others', 'Ultra Encode AIO', false],
  ] as const)('%s %s records and streams live: %p', (family, model, can) => {
    expect(of(family, model)).toMatchObject({ record: can, live: can });
  });

  test('a T450 records, but does not stream live, is not upgraded and shows no Wi-Fi', () => {
    const rules = of('thirdParty', 'T450', t450);
    expect(rules).toMatchObject({ record: true, live: false, upgrade: false, wifi: false, interact: true });
  });

  test('the hub acts on devices that have a driver, and updates those of the known makes', () => {
    expect(of('others')).toMatchObject({ interact: false, upgrade: false });
    // A camera can be restarted, for example.
    expect(of('thirdParty')).toMatchObject({ interact: true, upgrade: false });
    expect(of('proConvertDecoder')).toMatchObject({ interact: true, upgrade: true });
  });

  test('the connection of an Ultra Stream cannot be configured', () => {
    expect(of('ultraStream').connectionConfig).toBe(false);
    expect(of('ultraEncode').connectionConfig).toBe(true);
  });

  test('encoders become inputs, decoders outputs', () => {
    expect(of('ultraEncode').direction).toBe('input');
    expect(of('proConvertDecoder').direction).toBe('output');
    expect(of('router').direction).toBe('none');
  });

  test('of other makes, streams and cameras become inputs', () => {
    const other = { family: 'thirdParty', productId: 0, model: 'RTSP' } as const;
    expect(capabilitiesOf({ ...other, api: 'stream' })).toMatchObject({ direction: 'input', upgrade: false });
    expect(capabilitiesOf({ ...other, api: 'onvif' })).toMatchObject({ direction: 'input', upgrade: false });
    expect(capabilitiesOf({ ...other, api: 'usapi' }).direction).toBe('none');
  });
});
