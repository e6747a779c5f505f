// SPDX-License-Identifier: MIT

extension HTTPEncodingError: CustomStringConvertible {
  /// A few lower-case words about what cannot be written.
  public var description: String {
    switch self {
    case .invalidMethod: "invalid request method"
    case .invalidTarget: "invalid request target"
    case .invalidHeaderName: "invalid header name"
    case .invalidHeaderValue: "control character in a header value"
    case .framingHeader: "the length of a body cannot be set as a header"
    case .invalidStatus: "invalid status"
    case .invalidReason: "control character in the reason"
    case .bodyNotAllowed: "this status has no body"
    }
  }
}
