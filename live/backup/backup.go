// Package backup keeps snapshots of a store in a PostgreSQL database, in place of a file.
//
// A snapshot is a row for each MiB, or less, of the bytes that store.Store.WriteSnapshot writes, and all of its rows
// come in one transaction. A process that is killed while it saves, or a database that is, leaves the snapshot of
// before, and one that is opened meanwhile is the old one or the new one, whole. When Save has returned, the new one is
// as durable as a commit of the database (synchronous_commit). Each block and the whole have checksums.
//
// As with store.Store.Save the store goes on meanwhile, and what it records then is not in the snapshot.
package backup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"dejavu/store"
)

// Schema makes the table of snapshots where there is none: once, by a role that may. Full histories do not compress,
// and to try took four times as long.
const Schema = `create table if not exists dejavu_snapshots
	(name text, part int, bytes bytea not null, primary key (name, part));
	alter table dejavu_snapshots alter bytes set storage external`

// A Database is a *pgx.Conn or a *pgxpool.Pool of github.com/jackc/pgx/v5.
type Database interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// rowBytes is the most that a row holds, which is the most that a snapshot's writer is given at once.
const rowBytes = 1 << 20

// Save makes the snapshot of that name one of all histories that have not expired at time now, as
// store.Store.WriteSnapshot writes it, or leaves the one that there was. Two at once of one name wait for each other.
// The room of the old one is free again after a vacuum, which PostgreSQL starts by itself.
func Save[U store.User](
	ctx context.Context, db Database, name string, s *store.Store[U], about string, now store.Timestamp,
) (saved store.Snapshot, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`select pg_advisory_xact_lock(hashtextextended('dejavu_snapshots ' || $1::text, 0))`,
			`delete from dejavu_snapshots where name = $1`,
		} {
			if _, err := tx.Exec(ctx, sql, name); err != nil {
				return err
			}
		}
		rows := bufio.NewWriterSize(&writer{ctx: ctx, tx: tx, name: name}, rowBytes)
		saved, err = s.WriteSnapshot(ctx, rows, about, now, nil)
		return cmp.Or(err, rows.Flush())
	})
	if err != nil {
		return store.Snapshot{}, told(name, err)
	}
	return saved, nil
}

// A writer makes a row of all that it is given at once.
type writer struct {
	ctx  context.Context
	tx   pgx.Tx
	name string
	part int
}

func (w *writer) Write(p []byte) (int, error) {
	_, err := w.tx.Exec(w.ctx, `insert into dejavu_snapshots values ($1, $2, $3)`, w.name, w.part, p)
	if err != nil {
		return 0, err
	}
	w.part++
	return len(p), nil
}

// Open returns a new store with the histories of the snapshot of that name, as store.ReadSnapshot does. Where there is
// none the error is fs.ErrNotExist: the service starts for the first time, with store.New.
func Open[U store.User](ctx context.Context, db Database, name string, c store.Config, about string) (
	*store.Store[U], store.Snapshot, error,
) {
	rows, err := db.Query(ctx, `select bytes from dejavu_snapshots where name = $1 order by part`, name)
	if err != nil {
		return nil, store.Snapshot{}, told(name, err)
	}
	defer rows.Close()
	opened, snapshot, err := store.ReadSnapshot[U](ctx, &reader{rows: rows}, c, about)
	if err != nil {
		return nil, store.Snapshot{}, told(name, err)
	}
	return opened, snapshot, nil
}

// A reader is the rows of a snapshot, one behind the other.
type reader struct {
	rows  pgx.Rows
	left  pgtype.DriverBytes // of a row, until the next
	begun bool
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		switch next := r.rows.Next(); {
		case !next && r.begun:
			return 0, cmp.Or(r.rows.Err(), io.EOF)
		case !next:
			return 0, cmp.Or(r.rows.Err(), fs.ErrNotExist)
		}
		r.begun = true
		if err := r.rows.Scan(&r.left); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// told is an error of a snapshot, with what to do where the table is missing.
func told(name string, err error) error {
	const noTable = "42P01"
	if of := new(pgconn.PgError); errors.As(err, &of) && of.Code == noTable {
		return fmt.Errorf("backup: snapshot %q: %w: backup.Schema makes the table", name, err)
	}
	return fmt.Errorf("backup: snapshot %q: %w", name, err)
}
