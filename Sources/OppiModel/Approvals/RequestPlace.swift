// SPDX-License-Identifier: MIT

/// The origin of a request, which distinguishes two requests with the same call.
package struct RequestPlace: Sendable, Equatable {
  package var server: String?
  package var workspace: String?
  /// The workspace's folder on the server; `nil` if unknown.
  package var folder: String?
  package var goal: String?
  package var sessionID: String?

  package init(
    server: String?,
    workspace: String? = nil,
    folder: String? = nil,
    goal: String? = nil,
    sessionID: String?
  ) {
    self.server = server
    self.workspace = workspace
    self.folder = folder
    self.goal = goal
    self.sessionID = sessionID
  }

  /// `studio/webapp, Fix the login (CdJR04ap), ~/code/webapp`, safe to show.
  package var text: String {
    let id = sessionID?.safeLine(limit: 20)
    let goal = goal?.safeLine(limit: 40)
    let session = goal.map { goal in id.map { "\(goal) (\($0))" } ?? goal } ?? id
    let place = [server, workspace].compactMap(\.self).joined(separator: "/").safeLine(limit: 40)
    return [place.isEmpty ? nil : place, session, folder?.safeLine(limit: 40)]
      .compactMap(\.self).joined(separator: ", ")
  }
}
