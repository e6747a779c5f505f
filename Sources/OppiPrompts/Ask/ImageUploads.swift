// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiClient
package import OppiModel
package import OppiText
import OppiWire

/// The images of a prompt, on servers that take them before the prompt.
extension IntentAPIClient {
  /// The time for one image without a time limit.
  private static let uploadTimeout = Duration.seconds(60)

  /// Compares the sizes of all images of a prompt with the limits of the server.
  ///
  /// - Throws: If they are too large, or the server cannot be queried.
  package func checkUploads(
    of sizes: [Int],
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    let accepted = try await until(deadline).info()?.uploadLimits
    switch accepted?.excess(of: sizes) {
    case nil: return
    case .file(let number, let size, let limit)?:
      throw OppiError(
        .badInput,
        "image \(number) is too large for \(serverName): \(size) bytes, the limit is \(limit)",
        because: .imageRefused
      )
    case .turn(let size, let limit)?:
      throw OppiError(
        .badInput,
        "the images are too large for \(serverName): \(size) bytes together, the limit is \(limit)",
        hints: ["send them with several prompts to one session: oppi ask -s last"],
        because: .imageRefused
      )
    }
  }

  /// Uploads images to a session, in their order.
  ///
  /// An image whose answer is lost is sent once more, as another upload: the server forgets an
  /// upload that no prompt uses. The files of a prompt are named by consecutive numbers from `first`,
  /// because the agent gets them in one folder. Each image has a minute if there is no `end`.
  ///
  /// - Returns: The attachments for the prompt, one for each image.
  /// - Throws: If the server refuses an image or does not know the session, or the failure of the
  ///   connection.
  package func upload(
    _ images: [ImageAttachment],
    numberedFrom first: Int = 1,
    to session: ServerSession,
    until end: EventLoop.Instant? = nil
  ) async throws(OppiError) -> [JSONValue] {
    var attachments: [JSONValue] = []
    var calls = until(loop.now).overOneConnection()
    for (number, image) in zip(first..., images) {
      let name = "image-\(number).\(image.fileExtension)"
      let deadline = end ?? loop.now + Self.uploadTimeout
      do {
        attachments.append(
          try await calls.until(deadline).upload(image, named: name, to: session)
        )
      } catch  where error.isPassing && !error.isTimeout {
        calls = until(loop.now).overOneConnection()
        attachments.append(
          try await calls.until(deadline).upload(image, named: name, to: session)
        )
      } catch {
        guard case .refused(let status, let message)? = error.reason,
          Self.imageRefusals.contains(status)
        else { throw error }
        let said = message.map { ": \($0)" } ?? ""
        let words = "\(serverName) refused image \(number)\(said)"
        throw OppiError(.badInput, words, because: .imageRefused)
      }
    }
    return attachments
  }

  /// The statuses about the image itself.
  private static let imageRefusals: Set<Int> = [400, 413, 415]
}

extension DeliveryRun {
  /// Whether the server takes the images of this prompt before it.
  var uploadsImages: Bool { request.target.server.uploads(request.prompt) }

  /// Compares the images with the limits of the server, before anything is created or sent.
  func checkUploads() async throws(OppiError) {
    guard uploadsImages else { return }
    let sizes = request.prompt.images.map(\.data.count)
    try await api.checkUploads(of: sizes, until: stepEnd(by: limits.total))
  }
}

extension PairedServer {
  /// Whether the server takes the images of a prompt before it.
  func uploads(_ prompt: Prompt) -> Bool {
    !prompt.images.isEmpty && dialect?.stream.uploadsImages == true
  }
}
