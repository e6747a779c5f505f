// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiText
import OppiWire

/// The images of a prompt, on servers that take them before the prompt.
extension DeliveryRun {
  /// The time for one image of an ask without a time limit.
  private static let timeout = Duration.seconds(60)

  /// Whether the server takes the images of this prompt before it.
  var uploadsImages: Bool { request.target.server.uploads(request.prompt) }

  /// Compares the images with the limits of the server, before anything is created or sent.
  ///
  /// - Throws: If they are too large, or the server cannot be queried.
  func checkUploads() async throws(OppiError) {
    guard uploadsImages else { return }
    let sizes = request.prompt.images.map(\.data.count)
    let accepted = try await api.until(stepEnd(by: limits.total)).info()?.uploadLimits
    let server = api.serverName
    switch accepted?.excess(of: sizes) {
    case nil: return
    case .file(let number, let size, let limit)?:
      throw OppiError(
        .badInput,
        "image \(number) is too large for \(server): \(size) bytes, the limit is \(limit)",
        because: .imageRefused
      )
    case .turn(let size, let limit)?:
      throw OppiError(
        .badInput,
        "the images are too large for \(server): \(size) bytes together, the limit is \(limit)",
        hints: ["send them with several prompts to one session: oppi ask -s last"],
        because: .imageRefused
      )
    }
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
    to session: ServerSession
  ) async throws(OppiError) -> [JSONValue] {
    var attachments: [JSONValue] = []
    var calls = api.until(begin).overOneConnection()
    for (index, image) in images.enumerated() {
      let name = "image-\(index + 1).\(image.fileExtension)"
      let deadline = limits.total.map { begin + $0 } ?? api.loop.now + Self.timeout
      do {
        attachments.append(
          try await calls.until(deadline).upload(image, named: name, to: session)
        )
      } catch  where error.isPassing && !error.isTimeout {
        calls = api.until(begin).overOneConnection()
        attachments.append(
          try await calls.until(deadline).upload(image, named: name, to: session)
        )
      } catch {
        guard case .refused(let status, let message)? = error.reason,
          Self.refusals.contains(status)
        else { throw error }
        let said = message.map { ": \($0)" } ?? ""
        let words = "\(api.serverName) refused image \(index + 1)\(said)"
        throw OppiError(.badInput, words, because: .imageRefused)
      }
    }
    return attachments
  }

  /// The statuses about the image itself.
  private static let refusals: Set<Int> = [400, 413, 415]
}

extension PairedServer {
  /// Whether the server takes the images of a prompt before it.
  func uploads(_ prompt: Prompt) -> Bool {
    !prompt.images.isEmpty && dialect?.stream.uploadsImages == true
  }
}
