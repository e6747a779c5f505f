// SPDX-License-Identifier: MIT

import OppiModel

/// A file that a client announced, and then sent, for the prompts of one session.
struct Upload: Sendable {
  let id: String
  let sessionID: String
  let name: String
  /// The declared type, and the found one once the file was sent.
  var mimeType: String
  let size: Int
  let expiry: Timestamp
  /// The hash of the file; `nil` until it was sent.
  var hash: String?
  /// Whether a prompt has used it; then it does not expire.
  var isUsed = false

  /// What a client puts into a prompt.
  var reference: JSONValue {
    .object([
      "type": "attachment",
      "id": .string(id),
      "source": "upload",
      "name": .string(name),
      "mimeType": .string(mimeType),
      "sizeBytes": .number(size),
      "sha256": hash.map(JSONValue.string),
      "kind": .string(MediaType.kind(of: mimeType)),
    ])
  }

  func hasExpired(at now: Timestamp) -> Bool { !isUsed && now > expiry }

  /// Why a reference in a prompt does not fit; `nil` if it does.
  func mismatch(with reference: JSONValue) -> String? {
    let own = self.reference
    let words = [
      ("name", "name"), ("mimeType", "MIME type"), ("sizeBytes", "size"), ("sha256", "hash"),
    ]
    let first = words.first { key, _ in reference[key] != .null && reference[key] != own[key] }
    return first.map { "Upload \($0.1) mismatch" }
  }

  private static let nameLimit = 120

  /// The last part of a path without control characters; never empty.
  static func cleaned(_ name: String) -> String {
    let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let kept = last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    let text = String(String.UnicodeScalarView(kept)).trimmingBlanks
    return text.isEmpty ? "attachment" : String(text.prefix(nameLimit))
  }
}

/// The types of files.
enum MediaType {
  static let any = "application/octet-stream"

  /// The first bytes of the types that a server recognises.
  private static let signatures: [(start: [UInt8], type: String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    ([0xFF, 0xD8, 0xFF], "image/jpeg"),
    (Array("GIF87a".utf8), "image/gif"),
    (Array("GIF89a".utf8), "image/gif"),
    (Array("%PDF-".utf8), "application/pdf"),
    ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
    ([0x1F, 0x8B], "application/gzip"),
  ]

  /// The type of a file by its first bytes; `nil` if it is not recognised.
  static func found(in bytes: [UInt8]) -> String? {
    let isWebP = bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8)
    return isWebP ? "image/webp" : signatures.first { bytes.starts(with: $0.start) }?.type
  }

  static func kind(of type: String) -> String {
    switch type {
    case "application/pdf": "pdf"
    case "application/zip", "application/gzip": "archive"
    default:
      ["image", "text", "audio", "video"].first { type.hasPrefix("\($0)/") } ?? "unknown"
    }
  }
}
