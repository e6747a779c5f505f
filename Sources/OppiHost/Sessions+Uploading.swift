// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

// MARK: - Files for prompts

extension Sessions {
  func announceUpload(
    _ body: JSONValue,
    in session: LiveSession
  ) throws(Refusal) -> JSONValue {
    guard body["purpose"] == "chat_attachment" else {
      throw Refusal(400, "purpose must be chat_attachment")
    }
    guard let size = body["sizeBytes"].int, size > 0 else {
      throw Refusal(400, "sizeBytes must be a positive integer")
    }
    guard size <= configuration.limits.uploadBytes else {
      throw Refusal(413, "Upload exceeds max file size")
    }
    let type = body["mimeType"].string ?? Upload.anyType
    // A file of any type is checked when it was sent.
    if type != Upload.anyType { try checkAllowed(type, "Declared") }
    let upload = Upload(
      id: "upl_\(loop.makeID(.device))",
      sessionID: session.id,
      name: Upload.cleaned(body["name"].string ?? ""),
      mimeType: type,
      size: size
    )
    uploads[upload.id] = upload
    let base = "/workspaces/\(session.workspace.id)/sessions/\(session.id)/attachments"
    return ["contentUrl": .string("\(base)/\(upload.id)/content")]
  }

  /// Takes the bytes of an announced file; after a failure, they can be sent again.
  func receive(
    _ bytes: [UInt8],
    for id: String,
    in session: LiveSession
  ) throws(Refusal) -> JSONValue {
    guard var upload = uploads[id], upload.sessionID == session.id else {
      throw Refusal(404, "Upload not found")
    }
    guard upload.hash == nil else { throw Refusal(409, "Upload is not in created state") }
    guard bytes.count <= configuration.limits.uploadBytes else {
      throw Refusal(413, "Upload exceeds max file size")
    }
    guard bytes.count == upload.size else {
      throw Refusal(400, "Upload size mismatch: expected \(upload.size), got \(bytes.count)")
    }
    if let found = Upload.type(of: bytes), found != upload.mimeType {
      guard upload.mimeType == Upload.anyType else {
        let types = "declared \(upload.mimeType), detected \(found)"
        throw Refusal(415, "Upload MIME type mismatch: \(types)")
      }
      upload.mimeType = found
    }
    try checkAllowed(upload.mimeType, "Detected")
    upload.hash = SHA256.hex(of: bytes)
    uploads[id] = upload
    return ["attachment": upload.reference]
  }

  private func checkAllowed(_ type: String, _ word: String) throws(Refusal) {
    guard let allowed = configuration.uploadTypes, !allowed.contains(type) else { return }
    throw Refusal(415, "\(word) MIME type not allowed: \(type)")
  }
}

// MARK: - Files in prompts

extension Sessions {
  /// The list of a prompt's files, which is added to its text; empty without files.
  ///
  /// - Throws: A text that refuses the prompt.
  func attach(
    _ references: JSONValue,
    turn: String?,
    in session: LiveSession
  ) throws(StreamError) -> String {
    guard let references = references.array, !references.isEmpty else { return "" }
    var (lines, total) = ([String](), 0)
    let folder = ".pi/attachments/\(session.id)/\(turn ?? loop.makeUUID())"
    for reference in references {
      let known = uploads[reference["id"].string ?? ""]
      guard let upload = known, upload.sessionID == session.id else {
        throw .refused("Upload not found")
      }
      guard upload.hash != nil else { throw .refused("Upload is not complete") }
      if let text = upload.mismatch(with: reference) { throw .refused(text) }
      lines.append("- \(upload.name): \(folder)/\(upload.name)")
      total += upload.size
    }
    guard total <= configuration.limits.turnUploadBytes else {
      throw .refused("Attachment payload exceeds max turn size")
    }
    return "\n\nAttached files:\n" + lines.joined(separator: "\n")
  }
}

/// A file that a client announced, and then sent, for the prompts of one session.
package struct Upload: Sendable {
  let id: String
  let sessionID: String
  let name: String
  /// The declared type, and the found one once the file was sent.
  var mimeType: String
  let size: Int
  /// The hash of the file; `nil` until it was sent.
  var hash: String?

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
    ])
  }

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

  static let anyType = "application/octet-stream"

  /// The first bytes of the types that a server recognises.
  private static let signatures: [(start: [UInt8], type: String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    ([0xFF, 0xD8, 0xFF], "image/jpeg"),
    (Array("GIF87a".utf8), "image/gif"),
    (Array("GIF89a".utf8), "image/gif"),
    (Array("%PDF-".utf8), "application/pdf"),
  ]

  /// The type of a file by its first bytes; `nil` if it is not recognised.
  static func type(of bytes: [UInt8]) -> String? {
    let isWebP = bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8)
    return isWebP ? "image/webp" : signatures.first { bytes.starts(with: $0.start) }?.type
  }
}
