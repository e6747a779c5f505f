// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension ScheduleStore {
  /// The shortcuts that have a schedule, sorted.
  func all() throws(FileError) -> [ShortcutName] {
    try names().compactMap { ShortcutName($0) }
  }

  /// - Throws: `SchedulingError.noSchedule` if there is none; else as ``load(_:)``.
  func existing(_ name: ShortcutName) throws -> ScheduleRecord {
    guard let record = try load(name.text) else { throw SchedulingError.noSchedule(name) }
    return record
  }
}
