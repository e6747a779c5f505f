// SPDX-License-Identifier: MIT

import OppiModel

/// Where a request for approval comes from: tells two requests with the same call apart.
struct RequestPlace: Sendable, Equatable {
  var server: String?
  var workspace: String?
  /// The workspace's folder on the server, where it is known.
  var folder: String?
  /// What the session is about, where it is known.
  var goal: String?
  var sessionID: String?

  /// `studio/webapp, Fix the login (CdJR04ap), ~/code/webapp`, safe to show.
  var text: String {
    let id = sessionID?.safeLine(limit: 20)
    let goal = goal?.safeLine(limit: 40)
    let session = goal.map { goal in id.map { "\(goal) (\($0))" } ?? goal } ?? id
    let place = [server, workspace].compactMap(\.self).joined(separator: "/").safeLine(limit: 40)
    return [place.isEmpty ? nil : place, session, folder?.safeLine(limit: 40)]
      .compactMap(\.self).joined(separator: ", ")
  }
}

extension ApprovalRow {
  var place: RequestPlace {
    RequestPlace(
      server: server.name,
      workspace: workspace?.name ?? session?.workspaceName,
      folder: workspace?.folder,
      goal: session?.goal,
      sessionID: request.sessionID
    )
  }
}
