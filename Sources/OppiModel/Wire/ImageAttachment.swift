// SPDX-License-Identifier: MIT

/// An image in a prompt.
package struct ImageAttachment: Sendable, Hashable {
  package var mediaType: String
  package var data: [UInt8]

  package init(mediaType: String, data: [UInt8]) {
    self.mediaType = mediaType
    self.data = data
  }

  /// Recognises the four formats that models accept by their first bytes; `nil` for other data.
  package init?(data: [UInt8]) {
    let type: String? =
      if data.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
        "image/png"
      } else if data.starts(with: [0xFF, 0xD8, 0xFF]) {
        "image/jpeg"
      } else if data.starts(with: Array("GIF8".utf8)) {
        "image/gif"
      } else if data.starts(with: Array("RIFF".utf8)),
        data.dropFirst(8).starts(with: Array("WEBP".utf8))
      {
        "image/webp"
      } else {
        nil
      }
    guard let type else { return nil }
    self.init(mediaType: type, data: data)
  }

  /// The usual ending of a file with this image.
  package var fileExtension: String {
    let subtype = mediaType.split(separator: "/").last ?? ""
    return subtype == "jpeg" ? "jpg" : String(subtype)
  }

  var json: JSONValue {
    ["type": "image", "mimeType": .string(mediaType), "data": .string(Base64.encode(data))]
  }
}
