// SPDX-License-Identifier: MIT

/// A request of a client.
public struct HTTPRequest: Equatable, Sendable {
  /// The method, such as `GET`; its case matters.
  public var method: String
  /// The path with its query or, for CONNECT, a host and a port.
  public var target: String
  /// The headers, in order.
  public var headers: HTTPHeaders
  /// The body, without chunking.
  public var body: [UInt8]

  /// Makes a request.
  public init(
    method: String,
    target: String,
    headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }
}
