// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiText

/// An image that the next message carries.
struct ChatImage: Sendable, Equatable {
  /// The name of its file, safe to show.
  var name: String
  var content: ImageAttachment
  /// As the server described it, if it takes images before the prompt.
  var upload: JSONValue?
}

/// An image file that is read, and uploaded if the server takes images before the prompt.
struct ImageFile: Sendable, Equatable {
  let id: String
  let path: String
  /// The paste that named it; `nil` if a command did.
  let paste: String?
  /// Differs from that of every other image of the chat.
  let number: Int
  /// The sizes of the images that the same message carries, in bytes.
  let sizesBefore: [Int]

  /// Its name, safe to show.
  var name: String { String(path.split(separator: "/").last ?? "").safeLine(limit: 60) }
}

/// The images of the messages of a chat.
struct MessageImages: Sendable {
  private var attached: [ChatImage] = []
  private(set) var pending: ImageFile?
  /// The number of files so far.
  private var count = 0
  /// The images of messages whose final state is not known, by the id of the message.
  private var carried: [String: [ChatImage]] = [:]
  /// The number of images of messages in the server's queue, by the id of the message.
  private var queued: [String: Int] = [:]

  /// What the next message carries, on one line; `nil` without images.
  var line: String? {
    let names = attached.map(\.name).joined(separator: ", ")
    let list = attached.isEmpty ? nil : "\(attached.count.counted("image")): \(names)"
    let parts = [list, pending.map { "attaching \($0.name)…" }].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }

  /// The number of images that no server has in a message.
  var unsentCount: Int { attached.count + carried.values.reduce(0) { $0 + $1.count } }

  mutating func begin(_ path: String, paste: String?, id: String) -> ImageFile {
    count += 1
    let sizes = attached.map(\.content.data.count)
    let file = ImageFile(id: id, path: path, paste: paste, number: count, sizesBefore: sizes)
    pending = file
    return file
  }

  /// Ends the wait for a file; `nil` if it was given up.
  mutating func end(_ id: String) -> ImageFile? {
    guard let file = pending, file.id == id else { return nil }
    pending = nil
    return file
  }

  /// Attaches an image unless the message would be too large.
  mutating func attach(_ image: ChatImage) throws(OppiError) {
    attached.append(image)
    do throws(OppiError) {
      try message("", id: "").check(withImages: true)
    } catch {
      attached.removeLast()
      throw error
    }
  }

  mutating func removeAll() { (attached, pending) = ([], nil) }

  /// A message with the attached images.
  func message(_ text: String, id: String) -> Prompt {
    var prompt = Prompt(text, clientTurnID: id)
    prompt.images = attached.filter { $0.upload == nil }.map(\.content)
    prompt.attachments = attached.compactMap(\.upload)
    return prompt
  }

  /// The attached images belong to the message with the id from now on.
  mutating func leave(with id: String) {
    guard !attached.isEmpty else { return }
    carried[id] = attached
    attached = []
  }

  /// Takes the final state of a message; those of one that was not sent are attached again.
  ///
  /// - Returns: The number of its images.
  mutating func settle(_ id: String, _ verdict: PromptDelivery.Verdict) -> Int {
    guard let images = carried.removeValue(forKey: id) else { return 0 }
    switch verdict {
    case .notSent, .refused: attached = images + attached
    case .delivered(.queued): queued[id] = images.count
    case .delivered, .unknown: break
    }
    return images.count
  }

  /// The number of images of a message whose turn in the server's queue has come.
  mutating func started(_ id: String) -> Int { queued.removeValue(forKey: id) ?? 0 }
}

extension ChatState {
  /// Attaches an image file to the next message; `paste` is the pasted text that named it.
  mutating func attach(_ path: String, paste: String? = nil) -> [ChatEffect] {
    if let file = images.pending { return [.say("\(file.name) is still being attached")] }
    return [.attach(images.begin(path, paste: paste, id: newID()))]
  }

  /// Takes an image; a paste that named none is text.
  mutating func take(_ result: Result<ChatImage, OppiError>, of id: String) -> [ChatEffect] {
    guard let file = images.end(id) else { return [] }
    do throws(OppiError) {
      try images.attach(try result.get())
      return []
    } catch {
      let notice = ChatEffect.say("cannot attach \(file.name): \(error.message)")
      return [notice] + (file.paste.map { [.insert($0)] } ?? [])
    }
  }

  /// Removes the images from the next message.
  mutating func removeImages() -> [ChatEffect] {
    guard let line = images.line else { return [.say("no image is attached")] }
    images.removeAll()
    return [.say("removed \(line)")]
  }

  /// Sends a message with the attached images.
  mutating func sendWithImages(
    _ text: String,
    whenBusy: ClientMessage.WhenBusy,
    at now: Duration
  ) -> [ChatEffect] {
    if let file = images.pending {
      return [.say("not sent: \(file.name) is still being attached"), .giveBack(text)]
    }
    let message = images.message(text, id: newID())
    do throws(OppiError) {
      try message.check(withImages: true)
    } catch {
      return [.say("not sent: \(error.message)"), .giveBack(text)]
    }
    images.leave(with: message.clientTurnID)
    return send(message, whenBusy: whenBusy, at: now)
  }
}
