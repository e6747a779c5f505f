// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Files for prompts

extension Sessions {
  private static let uploadLifetime = Duration.seconds(86_400)

  func announceUpload(_ body: JSONValue, in path: SessionPath) throws(Refusal) -> JSONValue {
    let session = try session(at: path)
    guard body["purpose"] == "chat_attachment" else {
      throw Refusal(400, "purpose must be chat_attachment")
    }
    guard let size = body["sizeBytes"].int, size > 0 else {
      throw Refusal(400, "sizeBytes must be a positive integer")
    }
    guard size <= configuration.limits.uploadBytes else {
      throw Refusal(413, "Upload exceeds max file size")
    }
    let type = body["mimeType"].string ?? MediaType.any
    try checkAllowed(type, "Declared")
    let upload = Upload(
      id: "upl_\(loop.makeID(.device))",
      sessionID: session.id,
      name: Upload.cleaned(body["name"].string ?? ""),
      mimeType: type,
      size: size,
      expiry: loop.timestamp.moved(by: Self.uploadLifetime)
    )
    uploads[upload.id] = upload
    let base = "/workspaces/\(session.workspace.id)/sessions/\(session.id)/attachments"
    return [
      "uploadId": .string(upload.id),
      "attachmentId": .string(upload.id),
      "contentUrl": .string("\(base)/\(upload.id)/content"),
      "maxFileBytes": .number(configuration.limits.uploadBytes),
      "expiresAt": upload.expiry.json,
    ]
  }

  /// Takes the bytes of an announced file; after a failure, they can be sent again.
  func receive(_ bytes: [UInt8], for id: String, in path: SessionPath) throws(Refusal) -> JSONValue
  {
    let session = try session(at: path)
    guard var upload = uploads[id], upload.sessionID == session.id else {
      throw Refusal(404, "Upload not found")
    }
    guard upload.hash == nil else { throw Refusal(409, "Upload is not in created state") }
    guard !upload.hasExpired(at: loop.timestamp) else { throw Refusal(409, "Upload has expired") }
    guard bytes.count <= configuration.limits.uploadBytes else {
      throw Refusal(413, "Upload exceeds max file size")
    }
    guard bytes.count == upload.size else {
      throw Refusal(400, "Upload size mismatch: expected \(upload.size), got \(bytes.count)")
    }
    if let found = MediaType.found(in: bytes), found != upload.mimeType {
      guard upload.mimeType == MediaType.any else {
        throw Refusal(
          415,
          "Upload MIME type mismatch: declared \(upload.mimeType), detected \(found)"
        )
      }
      upload.mimeType = found
    }
    try checkAllowed(upload.mimeType, "Detected")
    upload.hash = SHA256.hex(of: bytes)
    uploads[id] = upload
    return ["attachment": upload.reference]
  }

  private func checkAllowed(_ type: String, _ word: String) throws(Refusal) {
    // A file of any type is checked when it was sent.
    let isOpen = word == "Declared" && type == MediaType.any
    guard let allowed = configuration.uploadTypes, !isOpen, !allowed.contains(type) else { return }
    throw Refusal(415, "\(word) MIME type not allowed: \(type)")
  }

  private func session(at path: SessionPath) throws(Refusal) -> LiveSession {
    guard configuration.workspaces.contains(where: { $0.id == path.workspaceID }) else {
      throw Refusal(404, "Workspace not found")
    }
    let session = try session(path.sessionID)
    guard session.workspace.id == path.workspaceID else { throw Refusal(404, "Session not found") }
    return session
  }
}

/// The place of a session.
struct SessionPath: Sendable {
  let workspaceID: String
  let sessionID: String
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
    var lines: [String] = []
    var total = 0
    let folder = ".pi/attachments/\(session.id)/\(turn ?? loop.makeUUID())"
    for reference in references {
      if reference["source"] == "workspace" {
        guard let path = reference["workspacePath"].string else {
          throw .invalid("Invalid payload: expected workspacePath")
        }
        lines.append("- \(Upload.cleaned(reference["name"].string ?? path)): \(path)")
      } else {
        let upload = try upload(of: reference, in: session)
        lines.append("- \(upload.name): \(folder)/\(upload.name)")
        total += upload.size
      }
    }
    guard total <= configuration.limits.turnUploadBytes else {
      throw .refused("Attachment payload exceeds max turn size")
    }
    for reference in references {
      if let id = reference["id"].string { uploads[id]?.isUsed = true }
    }
    return "\n\nAttached files:\n" + lines.joined(separator: "\n")
  }

  private func upload(
    of reference: JSONValue,
    in session: LiveSession
  ) throws(StreamError) -> Upload {
    guard let upload = uploads[reference["id"].string ?? ""], upload.sessionID == session.id else {
      throw .refused("Upload not found")
    }
    guard upload.hash != nil else { throw .refused("Upload is not complete") }
    guard !upload.hasExpired(at: loop.timestamp) else { throw .refused("Upload has expired") }
    if let text = upload.mismatch(with: reference) { throw .refused(text) }
    return upload
  }
}
