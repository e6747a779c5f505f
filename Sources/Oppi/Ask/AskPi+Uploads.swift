// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// The images of a prompt, on servers that take them before the prompt.
extension AskPi {
  /// The time for one image of an ask without a time limit.
  private static let patience = Duration.seconds(60)

  /// Compares the images with the limits of the server, before anything is created or sent.
  ///
  /// - Throws: If they are too large, or the server cannot be queried.
  func checkUploads(
    of request: AskRequest,
    since begin: EventLoop.Instant
  ) async throws(IntentError) {
    guard request.uploadsImages else { return }
    let sizes = request.prompt.images.map(\.data.count)
    let limits = try await api.info(until: stepEnd(since: begin))?.uploadLimits
    guard let excess = limits?.excess(of: sizes) else { return }
    throw .tooLarge(excess, server: api.serverName)
  }

  /// Uploads images to a session, in their order.
  ///
  /// An image whose answer is lost is sent once more, as another upload: the server forgets an
  /// upload that no prompt uses.
  ///
  /// - Returns: The attachments for the prompt, one for each image.
  /// - Throws: If the server refuses an image or does not know the session, or the failure of the
  ///   connection.
  func upload(
    _ images: [ImageAttachment],
    to session: ServerSession,
    since begin: EventLoop.Instant
  ) async throws(IntentError) -> [JSONValue] {
    var attachments: [JSONValue] = []
    var connection = api.connection()
    for (index, image) in images.enumerated() {
      let name = "image-\(index + 1).\(image.fileExtension)"
      let deadline = uploadEnd(since: begin)
      do {
        attachments.append(
          try await api.upload(image, named: name, to: session, over: connection, until: deadline)
        )
      } catch  where error.isPassing && !error.isTimeout {
        connection = api.connection()
        attachments.append(
          try await api.upload(image, named: name, to: session, over: connection, until: deadline)
        )
      } catch {
        guard case .refused(let status, let message)? = error.reason,
          Self.refusals.contains(status)
        else { throw error }
        let said = message.map { ": \($0)" } ?? ""
        throw OppiError(.badInput, "\(api.serverName) refused image \(index + 1)\(said)")
          .because(.imageRefused)
      }
    }
    return attachments
  }

  /// The failure of a prompt whose images the server does not have.
  ///
  /// A session that was created for the prompt is deleted, unless a retry with it may help.
  func withdrawn(
    _ request: AskRequest,
    from session: ServerSession,
    because cause: IntentError
  ) async -> AskFailure {
    var failure = AskFailure(notSent: request, because: cause)
    guard request.target.isNewSession, let workspaceID = session.workspaceID else { return failure }
    failure.sessionID = session.id
    guard !cause.isPassing else { return failure }
    do {
      let deadline = api.loop.now + limits.connect
      try await api.deleteSession(session.id, workspaceID: workspaceID, until: deadline)
      failure.sessionID = nil
    } catch {
      // The empty session stays; the failure names it.
    }
    return failure
  }

  /// The statuses about the image itself.
  private static let refusals: Set<Int> = [400, 413, 415]

  private func uploadEnd(since begin: EventLoop.Instant) -> EventLoop.Instant {
    limits.delivery.total.map { begin + $0 } ?? api.loop.now + Self.patience
  }
}

extension OppiError {
  /// Images over a limit of the server; nothing was sent.
  fileprivate static func tooLarge(
    _ excess: ServerInfo.UploadLimits.Excess,
    server: String
  ) -> OppiError {
    let error =
      switch excess {
      case .file(let number, let size, let limit):
        OppiError(
          .badInput,
          "image \(number) is too large for \(server): \(size) bytes, the limit is \(limit)"
        )
      case .turn(let size, let limit):
        OppiError(
          .badInput,
          "the images are too large for \(server): \(size) bytes together, the limit is \(limit)",
          hints: ["send them with several prompts to one session: oppi ask -s last"]
        )
      }
    return error.because(.imageRefused)
  }
}

extension AskRequest {
  /// Whether the server takes the images of this prompt before it.
  var uploadsImages: Bool {
    !prompt.images.isEmpty && target.server.dialect?.stream.uploadsImages == true
  }
}
