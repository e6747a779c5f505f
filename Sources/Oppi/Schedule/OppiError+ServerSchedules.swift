// SPDX-License-Identifier: MIT

import OppiModel

/// Failures of schedules that servers run themselves.
extension OppiError {
  init(onServer error: SchedulingError) {
    switch error {
    case .noServerSchedules(let server):
      self.init(.noSuchSchedule, "\(server) does not run schedules itself")
    case .noServerSchedule(let name, let server):
      self.init(
        .noSuchSchedule,
        "\(server) has no schedule '\(name.safeLine(limit: 120))'",
        hints: ["list the schedules with: oppi schedule list --all"]
      )
    case .ambiguousServerSchedule(let name, let ids):
      self.init(
        .ambiguousName,
        "'\(name.safeLine(limit: 120))' is ambiguous: it matches several schedules",
        hints: ["use one of the ids: \(ids.prefix(10).joined(separator: ", "))"]
      )
    case .requestRunning(let name, let server):
      self.init(.locked, "another command runs \(server)/\(name)", hints: ["retry later"])
    case .runFailed(let name, let server, let reason):
      let why = reason.map { ": \($0)" } ?? ""
      self.init(.promptRefused, "\(server) could not run \(name)\(why)")
    case .runUnknown(let name, let server, let cause):
      let why = cause.map { ": \(OppiError($0).message)" } ?? ""
      self.init(
        .deliveryUnknown,
        "\(server) has not confirmed the run of \(name)\(why)",
        hints: ["repeat the command: it finds this run, and starts no other"]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }
}
