// SPDX-License-Identifier: MIT

extension HTTPHeaders {
  /// Appends the field lines, with the codec's own framing field, and the empty line after them.
  ///
  /// A caller's field that frames the body is refused, so that two lengths can never disagree.
  func encode(
    framing: (name: String, value: String)?,
    into output: inout [UInt8]
  ) throws(HTTPEncodingError) {
    for (name, value) in fields {
      guard name.utf8.isToken else { throw .invalidHeaderName }
      guard value.utf8.allSatisfy(\.isFieldText) else { throw .invalidHeaderValue }
    }
    guard self["Content-Length"] == nil, self["Transfer-Encoding"] == nil else {
      throw .framingHeader
    }
    var lines = fields
    if let framing { lines.append(framing) }
    for (name, value) in lines {
      output += "\(name): \(value)\r\n".utf8
    }
    output += "\r\n".utf8
  }
}
