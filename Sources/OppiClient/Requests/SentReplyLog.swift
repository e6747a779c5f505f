// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem
import OppiText
import OppiWire

/// Records what this machine shows of the requests of a server, and replies to them.
package struct ReplyRecorder: Sendable {
  let log: SentReplyLog
  let server: PairedServer
  /// The command that runs.
  let command: [String]
  /// Whether an option or a setting replies, not the user.
  var isAutomatic = false
  let reporter: any Reporter
  fileprivate let rememberListed: @Sendable ([ShownRequests.Entry]) async -> Void

  init(
    log: SentReplyLog,
    server: PairedServer,
    command: [String],
    reporter: any Reporter,
    rememberListed: @escaping @Sendable ([ShownRequests.Entry]) async -> Void
  ) {
    (self.log, self.server, self.command) = (log, server, command)
    (self.reporter, self.rememberListed) = (reporter, rememberListed)
  }

  /// Records requests of a session that are on a view of its activity.
  package func remember(listed requests: [HumanRequest], of sessionID: String) async {
    await rememberListed(
      requests.map { ShownRequests.Entry($0, of: server.id, in: sessionID) }
    )
  }

  /// A failure is a warning, because the reply counts; told once, with the result.
  func record(_ reply: SentReply) async {
    var reply = reply
    (reply.serverID, reply.server) = (server.id, server.name)
    (reply.surface, reply.isAutomatic) = (command.joined(separator: " "), isAutomatic)
    do {
      try await log.append(reply)
    } catch  where reply.result != SentReply.pending {
      await reporter.warn("the decision is not in this machine's record", because: error)
    } catch {}
  }
}

/// The decisions and answers that this machine sent, in `decisions.jsonl`, readable only by this
/// user: one JSON object per line, before a reply is sent and with its result.
///
/// Lines are only appended; beyond the limit, the oldest are dropped.
package struct SentReplyLog: Sendable {
  /// In bytes.
  static let sizeLimit = 2 << 20

  private let path: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    (path, self.files) = (paths.decisionsFile, files)
  }

  /// - Throws: `FileError` if the file cannot be written.
  func append(_ reply: SentReply) async throws(FileError) {
    let line = SentReply.shape.json(of: reply).bytes()
    try await files.withLog(at: path) { log throws(FileError) in
      try log.append(line: line)
      guard log.size > Self.sizeLimit else { return }
      let bytes = try files.read(path, limit: log.size) ?? []
      let kept = bytes.suffix(Self.sizeLimit / 2).drop { $0 != UInt8(ascii: "\n") }.dropFirst()
      try files.replace(path, with: Array(kept))
    }
  }

  /// The replies with their results in the order of the results; then those whose result was never
  /// recorded, because the program ended before.
  ///
  /// - Throws: `FileError` if the file exists and cannot be read.
  package func entries() throws(FileError) -> [SentReply] {
    let bytes = try files.read(path, limit: 2 * Self.sizeLimit) ?? []
    var (ended, pending): ([SentReply], [SentReply]) = ([], [])
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let reply = (try? JSONValue(parsing: Array(line))).flatMap(SentReply.shape.record)
      else { continue }
      guard reply.result != SentReply.pending else {
        pending.append(reply)
        continue
      }
      if let place = pending.firstIndex(where: reply.isResult) { pending.remove(at: place) }
      ended.append(reply)
    }
    return ended + pending
  }
}

extension OppiError {
  /// A part of the request was too long to keep; it can only be denied.
  package static func requestNotWhole(id: String) -> OppiError {
    OppiError(
      .badInput,
      "cannot approve request \(id): it is too long to be shown in full",
      hints: ["deny it: oppi deny \(id)"]
    )
  }
}

extension Services {
  package var sentReplies: SentReplyLog { SentReplyLog(paths: paths, files: files) }
}
