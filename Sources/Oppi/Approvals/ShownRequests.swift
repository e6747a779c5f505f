// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The requests that commands have shown in full, in `shown-requests.json`, the latest last.
///
/// A command that names a request, or the session of a question, knows from here whether it is still
/// the one that the user has read.
struct ShownRequests: ShapedRecord, Equatable {
  struct Entry: Sendable, Equatable {
    fileprivate(set) var serverID = ""
    fileprivate(set) var sessionID = ""
    fileprivate(set) var requestID = ""
    /// The SHA-256 of the content.
    fileprivate(set) var digest = ""

    static let shape = RecordShape(
      Entry(),
      [
        .required("serverId", { $1(&$0.serverID) }, .line(80)),
        .defaulted("sessionId", { $1(&$0.sessionID) }, .line(200)),
        .required("requestId", { $1(&$0.requestID) }, .line(200)),
        .required("sha256", { $1(&$0.digest) }, .line(64)),
      ]
    )

    fileprivate init() {}

    init(_ request: HumanRequest, of serverID: Fingerprint, in sessionID: String?) {
      self.serverID = serverID.text
      self.sessionID = sessionID ?? request.sessionID ?? ""
      (requestID, digest) = (request.id, request.digest)
    }

    fileprivate func isOf(_ other: Entry) -> Bool {
      (serverID, sessionID, requestID) == (other.serverID, other.sessionID, other.requestID)
    }
  }

  static let countLimit = 200

  private(set) var entries: [Entry] = []

  static let shape = RecordShape(
    ShownRequests(),
    [.checked("requests", { $1(&$0.entries) }, .list(of: .object(Entry.shape)))]
  )

  /// Adds a request as the last one; beyond the limit, the oldest are dropped.
  mutating func add(_ entry: Entry) {
    entries.removeAll { $0.isOf(entry) }
    entries = (entries + [entry]).suffix(Self.countLimit)
  }

  /// Whether a request was shown with another content.
  func differ(from present: Entry) -> Bool {
    entries.contains { $0.isOf(present) && $0.digest != present.digest }
  }

  /// Whether the last request that was shown of a session, of those whose ids start so, is another
  /// one than the present one.
  func differInSession(from present: Entry, startingWith start: String = "") -> Bool {
    let last = entries.last {
      ($0.serverID, $0.sessionID) == (present.serverID, present.sessionID)
        && $0.requestID.hasPrefix(start)
    }
    return last.map { $0 != present } ?? false
  }
}

extension IntentContext {
  var shownRequests: RecordFile<ShownRequests> {
    RecordFile(
      paths.shownRequestsFile,
      in: files,
      limit: 1 << 20,
      .passing,
      isReplaceable: true,
      reason: { _ in "requests is not a list" }
    )
  }

  /// Records that a request was shown in full; a failure is a warning.
  func remember(shown request: ShownRequests.Entry) async {
    do {
      try await shownRequests.update { $0.add(request) }
    } catch {
      await reporter.warn("cannot remember that the request was shown", because: error)
    }
  }
}
