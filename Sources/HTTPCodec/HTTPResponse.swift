// SPDX-License-Identifier: MIT

/// An answer of a server.
public struct HTTPResponse: Equatable, Sendable {
  /// The status, 100 to 999.
  public var status: Int
  /// The words after the status, often empty; they mean nothing.
  public var reason: String
  /// The headers, in order.
  public var headers: HTTPHeaders
  /// The body, without chunking.
  public var body: [UInt8]

  /// Makes a response.
  public init(
    status: Int,
    reason: String = "",
    headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }
}
