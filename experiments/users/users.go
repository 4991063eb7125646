package users
