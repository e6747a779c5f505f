// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem
package import OppiText
package import OppiWire

/// The requests that were shown to the user, in `shown-requests.json`, the latest last.
///
/// Whatever lets the agent continue knows from here whether a request is still the one that the user
/// has seen. A list, a bar or a notification may have cut the request, or have been out of sight: it
/// never replaces what was shown before, so that a changed request must be read in full. A button
/// below the whole request shows, when it is pressed, that this was read.
package struct ShownRequests: ShapedRecord, Equatable {
  package struct Entry: Sendable, Equatable {
    fileprivate(set) var serverID = ""
    fileprivate(set) var sessionID = ""
    package fileprivate(set) var requestID = ""
    /// The SHA-256 of the content.
    fileprivate(set) var digest = ""
    /// Whether the user asked for it in full; otherwise it was on a list, a bar or a notification.
    fileprivate(set) var isRead = true

    static let shape = RecordShape(
      Entry(),
      [
        .required("serverId", { $1(&$0.serverID) }, .line(80)),
        .defaulted("sessionId", { $1(&$0.sessionID) }, .line(200)),
        .required("requestId", { $1(&$0.requestID) }, .line(200)),
        .required("sha256", { $1(&$0.digest) }, .line(64)),
        .defaulted("read", { $1(&$0.isRead) }, .bool),
      ]
    )

    fileprivate init() {}

    package init(_ request: HumanRequest, of serverID: Fingerprint, in sessionID: String?) {
      self.serverID = serverID.text
      self.sessionID = sessionID ?? request.sessionID ?? ""
      (requestID, digest) = (request.id, request.digest)
    }

    package init(_ approval: PendingApproval, of serverID: Fingerprint, in sessionID: String) {
      (self.serverID, self.sessionID) = (serverID.text, sessionID)
      (requestID, digest) = (approval.id, approval.digest)
    }

    fileprivate func isOf(_ other: Entry) -> Bool {
      (serverID, sessionID, requestID) == (other.serverID, other.sessionID, other.requestID)
    }

    fileprivate func isSame(_ other: Entry) -> Bool { isOf(other) && digest == other.digest }
  }

  static let countLimit = 500

  /// The requests of which the row of a session shows the text.
  package static func entries(of session: SessionStatus, on serverID: Fingerprint) -> [Entry] {
    session.shownRequests.map { Entry($0, of: serverID, in: session.id) }
  }

  private(set) var entries: [Entry] = []

  package static let shape = RecordShape(
    ShownRequests(),
    [.checked("requests", { $1(&$0.entries) }, .list(of: .object(Entry.shape)))]
  )

  /// Adds a request that was shown in full as the last one.
  mutating func add(read entry: Entry) {
    entries.removeAll { $0.isOf(entry) }
    append(entry)
  }

  /// Adds the requests of a list that were never shown; those of unknown content are left out.
  mutating func add(listed: [Entry]) {
    for var entry in listed where !entry.digest.isEmpty && !entries.contains(where: entry.isOf) {
      entry.isRead = false
      append(entry)
    }
  }

  /// Beyond the limit, the oldest of lists are dropped first, because a server could list many.
  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    guard entries.count > Self.countLimit else { return }
    entries.remove(at: entries.firstIndex { !$0.isRead } ?? 0)
  }

  /// Whether a request was shown with another content.
  package func differ(from present: Entry) -> Bool {
    entries.contains { $0.isOf(present) && $0.digest != present.digest }
  }

  /// Whether the user named the present request by the start of its id, and it is none of those with
  /// this start that were shown.
  package func differ(from present: Entry, startingWith start: String) -> Bool {
    guard start != present.requestID else { return false }
    let shown = entries.filter { $0.requestID.hasPrefix(start) }
    return !shown.isEmpty && !shown.contains(where: present.isOf)
  }

  /// Whether the present request of a session is another one than those that were shown of it, of
  /// those whose ids start so: than the last that was read, or if none was, than those of lists.
  package func differInSession(from present: Entry, startingWith start: String = "") -> Bool {
    let shown = entries.filter {
      ($0.serverID, $0.sessionID) == (present.serverID, present.sessionID)
        && $0.requestID.hasPrefix(start)
    }
    if let last = shown.last(where: \.isRead) { return !last.isSame(present) }
    return !shown.isEmpty && !shown.contains(where: present.isSame)
  }
}

extension Services {
  package var shownRequests: RecordFile<ShownRequests> {
    RecordFile(
      paths.shownRequestsFile,
      in: files,
      limit: 1 << 20,
      .passing,
      isReplaceable: true,
      reason: { _ in "requests is not a list" }
    )
  }

  /// How long a list waits for another process that records what it showed.
  private static let listLockTimeout = Duration.milliseconds(200)

  /// Records that a request was shown in full; a failure is one warning.
  package func remember(read request: ShownRequests.Entry) async {
    await recordShown { () async throws(FileError) in
      try await shownRequests.update { $0.add(read: request) }
    }
  }

  /// Records that requests were on a list, a bar or a notification; a failure is one warning.
  ///
  /// Bars are shown every few seconds: the file is locked only for requests that it lacks.
  package func remember(listed requests: [ShownRequests.Entry]) async {
    guard !requests.isEmpty else { return }
    let known = shownRequests.usable() ?? ShownRequests()
    var all = known
    all.add(listed: requests)
    guard all != known else { return }
    await recordShown { () async throws(FileError) in
      try await shownRequests.update(lockTimeout: Self.listLockTimeout) {
        $0.add(listed: requests)
      }
    }
  }

  private func recordShown(_ record: () async throws(FileError) -> Void) async {
    do throws(FileError) {
      try await record()
    } catch  where shownWarning.begin() {
      await reporter.warn("cannot remember that the request was shown", because: error)
    } catch {}
  }
}
