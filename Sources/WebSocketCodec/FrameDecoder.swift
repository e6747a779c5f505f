// SPDX-License-Identifier: MIT

/// Parses frames from a stream that may be split anywhere.
///
/// Returns a frame in parts as they arrive, so that limits and content are checked before the rest
/// is received. A rejected frame is not consumed, so every further call throws the same error.
public struct FrameDecoder: Sendable {
  /// A part of a frame, in stream order.
  public enum Part: Hashable, Sendable {
    /// The header of a frame whose length is within the limit.
    case header(FrameHeader)
    /// The next unmasked bytes of the payload, at least one.
    case payload(ArraySlice<UInt8>, of: FrameHeader)
    case end(of: FrameHeader)
  }

  private enum State {
    case header
    case payload(of: FrameHeader, received: Int)
  }

  private let sender: Role
  private let maxFrame: Int
  private var state = State.header
  private var buffer: [UInt8] = []
  private var position = 0

  /// Creates a decoder for the frames that `role` receives, with payloads of at most `maxFrame`
  /// bytes.
  public init(role: Role, maxFrame: Int) {
    sender = role.opposite
    self.maxFrame = maxFrame
  }

  /// Whether all received bytes are consumed.
  var isDrained: Bool { position == buffer.endIndex }

  /// Adds bytes from the stream.
  public mutating func receive(_ bytes: some Collection<UInt8>) {
    // Removing at least half of the bytes at once keeps the total cost linear.
    if position > buffer.count / 2 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next part of a frame; nil if more bytes are needed.
  ///
  /// - Throws: The violated rule of the frame format, or `frameTooLarge`.
  public mutating func next() throws(ProtocolError) -> Part? {
    switch state {
    case .header:
      return try nextHeader()
    case .payload(let header, let received) where received == header.payloadLength:
      state = .header
      return .end(of: header)
    case .payload(let header, let received):
      return nextPayload(of: header, after: received)
    }
  }

  private mutating func nextHeader() throws(ProtocolError) -> Part? {
    let unread = buffer[position...]
    let parsed = try FrameHeader.parse(unread, sentBy: sender, maxPayload: maxFrame)
    guard let (header, size) = parsed else { return nil }
    position += size
    state = .payload(of: header, received: 0)
    return .header(header)
  }

  private mutating func nextPayload(of header: FrameHeader, after received: Int) -> Part? {
    let count = min(header.payloadLength - received, buffer.count - position)
    guard count > 0 else { return nil }
    let range = position..<position + count
    header.maskingKey?.advanced(by: received).apply(to: &buffer, in: range)
    position = range.upperBound
    state = .payload(of: header, received: received + count)
    return .payload(buffer[range], of: header)
  }
}
