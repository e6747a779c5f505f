// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

extension ScheduleStore {
  /// Returns the shortcuts that have a schedule, sorted.
  package func all() throws(FileError) -> [ShortcutName] {
    try names().compactMap { ShortcutName($0) }
  }

  /// Returns the schedule of a shortcut.
  ///
  /// - Throws: `SchedulingError.noSchedule` if it has none; else as ``load(_:)``.
  package func existing(_ name: ShortcutName) throws -> ScheduleRecord {
    guard let record = try load(name.text) else { throw SchedulingError.noSchedule(name) }
    return record
  }
}
