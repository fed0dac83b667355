/** The server's replies to commands that do not change its state. */
import { type AmfObject, encodeAmf } from '../flv/amf0.ts';
import { encodeMessages, peerBandwidthMessage, uint32Message, userControlMessage } from './chunk-writer.ts';
import { type Command, commandMessage, resultMessage, statusMessage } from './commands.ts';
import { messageTypeId, outgoingChunkBytes, userControlEvent, windowAckBytes } from './protocol.ts';
import { playStreamId } from './wire.ts';

/** Enhanced RTMP v2: we forward every codec, and pass multitrack (2) and ModEx (4) through. */
const canForward = 4;
const capabilities: AmfObject = {
  fourCcList: ['*'],
  videoFourCcInfoMap: { '*': canForward },
  audioFourCcInfoMap: { '*': canForward },
  capsEx: 6,
};

/** Windows and chunk size, sent before the first reply. */
export function preamble(): Uint8Array[] {
  return [
    uint32Message(messageTypeId.windowAckSize, windowAckBytes),
    peerBandwidthMessage(windowAckBytes),
    uint32Message(messageTypeId.setChunkSize, outgoingChunkBytes),
  ];
}

export function connectReply({ transaction, object }: Command): Uint8Array {
  const isEnhanced = object.fourCcList !== undefined || object.capsEx !== undefined;
  const properties: AmfObject = { fmsVer: 'FMS/3,5,7,7009', capabilities: 31, mode: 1 };
  const info: AmfObject = {
    level: 'status',
    code: 'NetConnection.Connect.Success',
    description: 'Connection succeeded.',
    objectEncoding: object.objectEncoding === 3 ? 3 : 0,
  };
  return resultMessage(transaction, isEnhanced ? { ...properties, ...capabilities } : properties, info);
}

export function publishReply(): Uint8Array[] {
  return [
    userControlMessage(userControlEvent.streamBegin, playStreamId),
    statusMessage(playStreamId, 'status', 'NetStream.Publish.Start', 'Publishing.'),
  ];
}

export function playReply(): Uint8Array[] {
  const sampleAccess = encodeAmf('|RtmpSampleAccess', true, true);
  return [
    userControlMessage(userControlEvent.streamBegin, playStreamId),
    statusMessage(playStreamId, 'status', 'NetStream.Play.Reset', 'Playing and resetting.'),
    statusMessage(playStreamId, 'status', 'NetStream.Play.Start', 'Started playing.'),
    encodeMessages([{ type: messageTypeId.data, timestamp: 0, payload: sampleAccess }], playStreamId),
  ];
}

/** Returns undefined for an unknown command. */
export function plainReply({ name, transaction }: Command): Uint8Array | undefined {
  switch (name) {
    case 'createStream':
      return resultMessage(transaction, null, playStreamId);
    case 'releaseStream':
    case '_checkbw':
      return resultMessage(transaction, null, null);
    case 'getStreamLength':
      // A live stream has no length.
      return resultMessage(transaction, null, 0);
    case 'FCPublish':
    case 'FCUnpublish':
    case 'FCSubscribe':
      return commandMessage(0, `on${name}`, 0, null);
    default:
      return undefined;
  }
}
