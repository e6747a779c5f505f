// SPDX-License-Identifier: MIT

/// How requests ended that a server no longer lists, by its record of decisions.
package enum RecordedDecisions {
  /// How much older an entry may be than the last list with the request.
  ///
  /// The list was made before it arrived; an entry that is older is about an earlier call.
  private static let tolerance = Duration.milliseconds(250)

  /// The entries that belong to requests, by the ids of the requests.
  ///
  /// The record does not name requests, so an entry belongs to a request with the same call of the
  /// same session. If several entries do, and they differ, none is returned.
  ///
  /// `listedAt` is when the requests were last listed, on the server's clock; earlier entries are
  /// about other calls.
  package static func entries(
    of requests: [PermissionRequest],
    in record: [AuditEntry],
    listedAt: Timestamp
  ) -> [String: AuditEntry] {
    let earliest = listedAt.moved(by: .zero - tolerance)
    let recent = record.filter { $0.at >= earliest }
    var found: [String: AuditEntry] = [:]
    for request in requests {
      let matches = recent.filter { $0.isAbout(request) }
      guard let first = matches.first,
        matches.allSatisfy({ ($0.isAllowed, $0.decidedBy) == (first.isAllowed, first.decidedBy) })
      else { continue }
      found[request.id] = first
    }
    return found
  }
}

extension AuditEntry {
  fileprivate func isAbout(_ request: PermissionRequest) -> Bool {
    sessionID == request.sessionID && tool == request.tool.safeLine(limit: 60)
      && summary == Self.summary(of: request.summary)
  }
}
